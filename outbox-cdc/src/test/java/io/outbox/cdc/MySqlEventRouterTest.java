package io.outbox.cdc;

class MySqlEventRouterTest extends EventRouterContract {

    MySqlEventRouterTest() {
        super(LoggedDatabase.Kind.MYSQL);
    }
}
