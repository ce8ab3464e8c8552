package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PostgresServerTest extends DatabaseServerContract {

    PostgresServerTest() {
        super(PostgresServer.start());
    }

    @Override
    DatabaseServer shared() {
        return PostgresServer.shared();
    }

    @Test
    void commitsAreDurable() throws SQLException {
        String url = PostgresServer.shared().newDatabase();

        assertThat(query(url, "SHOW fsync")).isEqualTo("on");
        assertThat(query(url, "SHOW synchronous_commit")).isEqualTo("on");
    }
}
