package io.outbox.cdc;

class MySqlOutboxRecordsTest extends OutboxRecordsContract {

    MySqlOutboxRecordsTest() {
        super(LoggedDatabase.Kind.MYSQL);
    }
}
