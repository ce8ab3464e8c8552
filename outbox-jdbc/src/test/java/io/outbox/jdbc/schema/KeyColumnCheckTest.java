package io.outbox.jdbc.schema;

import static io.outbox.jdbc.support.TestDatabase.H2;
import static io.outbox.jdbc.support.TestDatabase.MARIADB;
import static io.outbox.jdbc.support.TestDatabase.MYSQL;
import static io.outbox.jdbc.support.TestDatabase.POSTGRESQL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** What an outbox with order by key finds wrong with its columns and its table of locks before it starts. */
class KeyColumnCheckTest {

    private static final String BINARY = " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin";

    private static Arguments damage(TestDatabase database, String damage, String finding) {
        return Arguments.of(database, damage, finding);
    }

    private static Stream<Arguments> onBoth(String damage, String finding) {
        return Stream.of(damage(MYSQL, damage, finding), damage(MARIADB, damage, finding));
    }

    static Stream<Arguments> damages() {
        List<Stream<Arguments>> damages = new ArrayList<>();
        damages.add(Stream.of(
                damage(H2, "ALTER COLUMN order_key SET DATA TYPE VARCHAR(100)", "order_key is character varying(100)"),
                damage(
                        H2,
                        "ALTER COLUMN order_key SET DATA TYPE VARCHAR_IGNORECASE(400)",
                        "order_key is varchar_ignorecase(400)"),
                damage(POSTGRESQL, "ALTER order_key TYPE varchar(100)", "order_key is character varying(100)"),
                damage(POSTGRESQL, "ALTER order_key TYPE char(400)", "order_key is character(400)"),
                damage(POSTGRESQL, "ALTER order_seq TYPE int", "order_seq is integer, not BIGINT")));
        damages.add(onBoth("MODIFY order_key VARCHAR(100)" + BINARY, "order_key is varchar(100), not VARCHAR(400)"));
        damages.add(onBoth(
                "MODIFY order_key VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci",
                "order_key is varchar(400) COLLATE utf8mb4_general_ci, not VARCHAR(400)"));
        damages.add(onBoth(
                "MODIFY pending_key VARCHAR(100)" + BINARY
                        + " AS (CASE WHEN status IN (0, 2) THEN order_key END) VIRTUAL",
                "pending_key is varchar(100), not VARCHAR(400)"));
        damages.add(onBoth("MODIFY order_seq INT NOT NULL AUTO_INCREMENT", "order_seq is int"));
        return damages.stream().flatMap(stream -> stream);
    }

    @ParameterizedTest
    @MethodSource("damages")
    void aColumnThatRefusesOrMixesKeysIsAnErrorThatTheStatementMends(
            TestDatabase database, String damage, String finding) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema.of(pool).createIfMissing().createKeyedIfMissing();
            OutboxRows.execute(pool, "ALTER TABLE outbox_event " + damage);

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, () -> prepareKeys(pool));

            assertThat(e)
                    .hasMessageContaining("The table outbox_event cannot keep the order of keys")
                    .hasMessageContaining(finding)
                    .hasMessageContaining("-keyed.sql");
            assertThat(e.statements()).hasSize(1);
            OutboxRows.execute(pool, e.statements().get(0));
            prepareKeys(pool);
        }
    }

    private static void prepareKeys(HikariDataSource pool) {
        JdbcOutbox jdbc = JdbcOutbox.of(pool);
        jdbc.store().prepareKeys(jdbc.connectionProvider());
    }

    static Stream<Arguments> unnumbered() {
        return Stream.of(
                Arguments.of(H2, "ALTER COLUMN order_seq DROP IDENTITY"),
                Arguments.of(POSTGRESQL, "ALTER order_seq DROP IDENTITY"),
                Arguments.of(MYSQL, "MODIFY order_seq BIGINT NOT NULL"),
                Arguments.of(MARIADB, "MODIFY order_seq BIGINT NOT NULL"));
    }

    @ParameterizedTest
    @MethodSource("unnumbered")
    void aColumnInWhichTheDatabaseDoesNotNumberEventsIsAnError(TestDatabase database, String damage) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema.of(pool).createIfMissing().createKeyedIfMissing();
            OutboxRows.execute(pool, "ALTER TABLE outbox_event " + damage);

            assertThatThrownBy(() -> prepareKeys(pool))
                    .isInstanceOf(OutboxSchemaException.class)
                    .hasMessageContaining("column order_seq is not BIGINT")
                    .hasMessageContaining("no order");
        }
    }

    static Stream<Arguments> unordered() {
        return Stream.of(
                Arguments.of(
                        POSTGRESQL,
                        "ALTER TABLE outbox_event ALTER order_seq SET CACHE 20",
                        "ALTER SEQUENCE outbox_event_order_seq_seq CACHE 1"),
                Arguments.of(
                        MYSQL, "SET SESSION auto_increment_increment = 2", "SET GLOBAL auto_increment_increment = 1"),
                Arguments.of(
                        MARIADB,
                        "SET SESSION auto_increment_increment = 2",
                        "SET GLOBAL auto_increment_increment = 1"));
    }

    @ParameterizedTest
    @MethodSource("unordered")
    void numbersThatSessionsUseInNoOrderAreAnErrorThatTheStatementMends(
            TestDatabase database, String damage, String remedy) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema.of(pool).createIfMissing().createKeyedIfMissing();
            OutboxRows.execute(pool, damage);

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, () -> prepareKeys(pool));

            assertThat(e).hasMessageContaining("order_seq");
            assertThat(e.statements()).containsExactly(remedy);
            OutboxRows.execute(pool, e.statements().get(0).replace("GLOBAL", "SESSION"));
            prepareKeys(pool);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aColumnOfDeadLettersThatRefusesKeysIsAnErrorThatTheStatementMends(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema.of(pool).createIfMissing().createKeyedIfMissing();
            DeadLetterStore letters = DeadLetterStore.of(JdbcOutbox.of(pool).store());
            DeadLetterSchema.of(pool, letters).createIfMissing().createKeyedIfMissing();
            JdbcOutbox jdbc = JdbcOutbox.of(pool);
            letters.prepareKeys(jdbc.connectionProvider());
            OutboxRows.execute(
                    pool,
                    "ALTER TABLE outbox_dlq_event DROP COLUMN order_key",
                    "ALTER TABLE outbox_dlq_event ADD COLUMN order_key VARCHAR(100)");

            OutboxSchemaException e = catchThrowableOfType(
                    OutboxSchemaException.class, () -> letters.prepareKeys(jdbc.connectionProvider()));

            assertThat(e).hasMessageContaining("outbox_dlq_event").hasMessageContaining("order_key is");
            OutboxRows.execute(pool, e.statements().get(0));
            letters.prepareKeys(jdbc.connectionProvider());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MYSQL", "MARIADB"})
    void aLockThatIsMissingIsAnErrorThatTheStatementMends(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 1)) {
            OutboxSchema schema = OutboxSchema.of(pool).createIfMissing().createKeyedIfMissing();
            OutboxRows.execute(pool, "DELETE FROM outbox_event_lock WHERE slot IN (7, 11)");

            OutboxSchemaException e = catchThrowableOfType(OutboxSchemaException.class, () -> prepareKeys(pool));

            assertThat(e).hasMessageContaining("the table outbox_event_lock lacks 2 of its 1000 rows");
            OutboxRows.execute(pool, e.statements().get(0));
            prepareKeys(pool);
            OutboxRows.execute(pool, "DELETE FROM outbox_event_lock");
            schema.createKeyedIfMissing();
            prepareKeys(pool);
        }
    }
}
