package io.outbox.cdc;

class PostgresOutboxRecordsTest extends OutboxRecordsContract {

    PostgresOutboxRecordsTest() {
        super(LoggedDatabase.Kind.POSTGRESQL);
    }
}
