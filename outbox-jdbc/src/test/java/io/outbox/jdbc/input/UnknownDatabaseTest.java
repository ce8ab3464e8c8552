package io.outbox.jdbc.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.support.TestDatabase;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
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
                "jdbc:sybase:scott/tiger@//host:5000/service",
                "jdbc:sqlserver://host;user=sa;password=tiger",
                "postgres://scott:tiger@host/service",
                ""
            })
    void anUnknownUrlIsRefusedWithWhatIsSupported(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("supported are [h2, mariadb, mysql, oracle, postgresql, tidb]")
                .hasMessageContaining("META-INF/services");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:sybase:scott/tiger@//host:5000/service",
                "jdbc:sqlserver://host;user=sa;password=tiger",
                "postgres://scott:tiger@host/service"
            })
    void theMessageContainsNoCredentials(String url) {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(url)).message().doesNotContain("tiger");
    }

    @Test
    void anUnknownNameIsRefusedWithWhatIsSupported() {
        assertThatThrownBy(() -> JdbcOutboxStores.get("sybase"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'sybase'")
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

    @Test
    void aUrlOfTiDbIsRecognised() {
        assertThat(JdbcOutboxStores.detect("jdbc:tidb://host:4000/db").name()).isEqualTo("tidb");
    }

    /** Metadata as pools and drivers give it. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "-, -, jdbc:postgresql://host/db, postgresql",
                "MySQL, 8.0.11-TiDB-v8.5.0, jdbc:mysql://host/db, tidb",
                "MariaDB, -, jdbc:mysql://host/db, mariadb",
                "Oracle, 23.26, jdbc:oracle:thin:@host, oracle",
                "MySQL, 8.0.31, -, mysql",
                "PostgreSQL, 18.0, jdbc:wrapper:postgresql://host/db, postgresql",
                "-, -, JDBC:H2:mem:test, h2"
            })
    void aDatabaseIsRecognisedByWhatItTells(String product, String version, String url, String name) {
        assertThat(JdbcOutboxStores.detect(telling(product, version, url)).name())
                .isEqualTo(name);
    }

    @Test
    void aDatabaseThatTellsNothingIsRefusedWithWhatIsSupported() {
        assertThatThrownBy(() -> JdbcOutboxStores.detect(telling(null, null, null)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("supported are");
        assertThatThrownBy(() -> JdbcOutboxStores.detect(telling("Sybase", "16", "jdbc:sybase:scott/tiger@host")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("sybase")
                .message()
                .doesNotContain("tiger");
    }

    private static DataSource telling(String product, String version, String url) {
        DatabaseMetaData metaData = proxy(
                DatabaseMetaData.class,
                Map.of(
                        "getDatabaseProductName", Optional.ofNullable(product),
                        "getDatabaseProductVersion", Optional.ofNullable(version),
                        "getURL", Optional.ofNullable(url)));
        Connection connection = proxy(Connection.class, Map.of("getMetaData", Optional.of(metaData)));
        return proxy(DataSource.class, Map.of("getConnection", Optional.of(connection)));
    }

    /** Returns an object that gives these answers, and none to other calls. */
    private static <T> T proxy(Class<T> type, Map<String, Optional<?>> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, args) ->
                        answers.getOrDefault(method.getName(), Optional.empty()).orElse(null)));
    }
}
