package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a table must not be like, though it has all columns and the key. */
class TableRulesTest {

    private final HikariDataSource pool = new HikariDataSource();

    @AfterEach
    void close() {
        pool.close();
    }

    private JdbcInbox create(TestDatabase database) {
        pool.setJdbcUrl(database.newUrl());
        return JdbcInbox.of(pool).createSchema();
    }

    private void execute(String sql) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, sql);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "MYSQL", "MARIADB"})
    void aTableThatTakesIdsOfOtherCaseForTheSameIsRefused(TestDatabase database) throws SQLException {
        JdbcInbox inbox = create(database);
        execute(
                database == TestDatabase.H2
                        ? "ALTER TABLE outbox_consumed_event ALTER COLUMN event_id VARCHAR_IGNORECASE(128) NOT NULL"
                        : "ALTER TABLE outbox_consumed_event MODIFY event_id VARCHAR(128) CHARACTER SET utf8mb4 COLLATE"
                                + " utf8mb4_general_ci NOT NULL");

        assertThatThrownBy(inbox::validateSchema)
                .hasMessageContaining("column event_id takes a and A for the same")
                .hasMessageNotContaining("column consumer");
    }

    /** An index may have more columns than the clean-up asks for, and any name. */
    @Test
    void anIndexByAgeIsNotCreatedAgain() throws SQLException {
        JdbcInbox inbox = create(TestDatabase.H2);
        execute("ALTER INDEX outbox_consumed_event_age RENAME TO by_age");

        inbox.createSchema();

        try (Connection conn = pool.getConnection()) {
            assertThat(JdbcTemplate.query(
                            conn,
                            "SELECT index_name FROM information_schema.indexes WHERE table_name = 'OUTBOX_CONSUMED_EVENT'"
                                    + " AND index_type_name <> 'PRIMARY KEY'",
                            row -> row.getString(1)))
                    .containsExactly("BY_AGE");
        }
    }
}
