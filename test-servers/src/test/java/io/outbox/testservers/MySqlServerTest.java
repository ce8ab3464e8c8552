package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class MySqlServerTest extends DatabaseServerContract {

    MySqlServerTest() {
        super(MySqlServer.start());
    }

    @Override
    DatabaseServer shared() {
        return MySqlServer.shared();
    }

    @Test
    void commitsAreDurable() throws SQLException {
        String url = MySqlServer.shared().newDatabase();

        assertThat(query(url, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
        assertThat(query(url, "SELECT @@sync_binlog")).isEqualTo("1");
    }
}
