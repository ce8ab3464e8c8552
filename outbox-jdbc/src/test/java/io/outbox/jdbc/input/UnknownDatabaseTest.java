package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.support.TestDatabase;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Databases that are not supported, or not there. */
class UnknownDatabaseTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:oracle:thin:scott/tiger@//host:1521/service",
                "jdbc:sqlserver://host;user=sa;password=tiger",
                "postgres://scott:tiger@host/service",
                ""
            })
    void anUnknownUrlIsRefusedWithWhatIsSupported(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("supported are [h2, mariadb, mysql, postgresql, tidb]")
                .hasMessageContaining("META-INF/services");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:oracle:thin:scott/tiger@//host:1521/service",
                "jdbc:sqlserver://host;user=sa;password=tiger",
                "postgres://scott:tiger@host/service"
            })
    void theMessageContainsNoCredentials(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url)).message().doesNotContain("tiger");
    }

    @Test
    void anUnknownNameIsRefusedWithWhatIsSupported() {
        assertThatThrownBy(() -> JdbcOutboxStores.get("oracle"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'oracle'")
                .hasMessageContaining("supported are");
    }

    @Test
    void nullIsRefusedByName() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect((String) null)).hasMessageContaining("jdbcUrl");
        assertThatThrownBy(() -> JdbcOutboxStores.get(null)).hasMessageContaining("name");
        assertThatThrownBy(() -> JdbcOutbox.of(null)).hasMessageContaining("dataSource");
    }

    @Test
    void aDatabaseThatCannotBeReachedIsSaidToBe() {
        JdbcDataSource nowhere = new JdbcDataSource();
        nowhere.setURL("jdbc:h2:tcp://127.0.0.1:1/nowhere");
        nowhere.setPassword("tiger");

        assertThatThrownBy(() -> JdbcOutbox.of(nowhere))
                .isInstanceOf(OutboxStoreException.class)
                .hasMessageContaining("Cannot connect")
                .message()
                .doesNotContain("tiger");
    }

    @ParameterizedTest
    @CsvSource({"H2, h2", "POSTGRESQL, postgresql", "MYSQL, mysql", "MARIADB, mariadb"})
    void aKnownDatabaseIsRecognised(TestDatabase database, String name) {
        try (var pool = TestDatabase.pool(database.newUrl(), 1)) {
            assertThat(JdbcOutboxStores.detect(pool).name()).isEqualTo(name);
        }
    }
}
