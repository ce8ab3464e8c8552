package io.outbox.cdc;

class PostgresEventRouterTest extends EventRouterContract {

    PostgresEventRouterTest() {
        super(LoggedDatabase.Kind.POSTGRESQL);
    }
}
