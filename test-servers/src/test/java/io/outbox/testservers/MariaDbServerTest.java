package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class MariaDbServerTest extends DatabaseServerContract {

    MariaDbServerTest() {
        super(MariaDbServer.start());
    }

    @Override
    DatabaseServer shared() {
        return MariaDbServer.shared();
    }

    @Test
    void commitsAreDurable() throws SQLException {
        String url = MariaDbServer.shared().newDatabase();

        assertThat(query(url, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
        assertThat(query(url, "SELECT version()")).contains("MariaDB");
    }

    @Test
    void temporaryTablesAreOutOfReachOfOtherServers() throws SQLException {
        MariaDbServer shared = MariaDbServer.shared();

        assertThat(query(shared.newDatabase(), "SELECT @@tmpdir"))
                .isEqualTo(shared.directory().toString());
    }
}
