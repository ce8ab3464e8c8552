package io.outbox.jdbc.explain;

import io.outbox.jdbc.support.TestDatabase;

/** Plans of MariaDB. */
class MariaDbIndexUseTest extends MySqlIndexUseTest {

    @Override
    TestDatabase database() {
        return TestDatabase.MARIADB;
    }
}
