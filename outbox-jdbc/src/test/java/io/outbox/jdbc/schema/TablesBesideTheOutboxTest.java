package io.outbox.jdbc.schema;

import static io.outbox.jdbc.support.TestDatabase.H2;
import static io.outbox.jdbc.support.TestDatabase.MARIADB;
import static io.outbox.jdbc.support.TestDatabase.MYSQL;
import static io.outbox.jdbc.support.TestDatabase.POSTGRESQL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.testservers.support.CapturedLog;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The tables of dead letters, of failed attempts and of what operators have done are checked as that of the outbox is.
 */
class TablesBesideTheOutboxTest {

    private static final String LETTERS = "outbox_dlq_event";
    private static final String ATTEMPTS = "outbox_dlq_event_attempt";
    private static final String AUDIT = "outbox_event_audit";

    private static Arguments damage(TestDatabase database, String table, String damage, String finding) {
        return Arguments.of(database, table, damage, finding);
    }

    private static Stream<Arguments> onBoth(String table, String damage, String finding) {
        return Stream.of(damage(MYSQL, table, damage, finding), damage(MARIADB, table, damage, finding));
    }

    static Stream<Arguments> errors() {
        return Stream.of(
                        Stream.of(
                                damage(H2, LETTERS, "ALTER COLUMN payload SET DATA TYPE VARCHAR(100)", "varying(100)"),
                                damage(H2, LETTERS, "ALTER COLUMN payload SET DATA TYPE JSON", "payload is json("),
                                damage(H2, LETTERS, "ALTER COLUMN moved_at SET DATA TYPE TIMESTAMP(0)", "timestamp(0)"),
                                damage(H2, LETTERS, "ALTER COLUMN updated_by SET NOT NULL", "updated_by is NOT NULL"),
                                damage(H2, LETTERS, "DROP PRIMARY KEY", "(event_id) is not a key"),
                                damage(H2, ATTEMPTS, "ALTER COLUMN error SET DATA TYPE VARCHAR(100)", "varying(100)"),
                                damage(H2, ATTEMPTS, "DROP COLUMN node", "column node is missing"),
                                damage(H2, ATTEMPTS, "DROP PRIMARY KEY", "(event_id, failed_at) is not a key"),
                                damage(H2, AUDIT, "ALTER COLUMN detail SET DATA TYPE VARCHAR(100)", "varying(100)")),
                        Stream.of(
                                damage(
                                        POSTGRESQL,
                                        LETTERS,
                                        "ALTER payload TYPE jsonb USING payload::jsonb",
                                        "is jsonb"),
                                damage(POSTGRESQL, LETTERS, "ALTER payload TYPE varchar(100)", "payload is character"),
                                damage(POSTGRESQL, LETTERS, "ALTER last_error TYPE varchar(100)", "last_error is"),
                                damage(POSTGRESQL, LETTERS, "ALTER moved_at TYPE timestamptz", "with time zone"),
                                damage(POSTGRESQL, ATTEMPTS, "ALTER error TYPE varchar(100)", "error is character"),
                                damage(
                                        POSTGRESQL,
                                        ATTEMPTS,
                                        "DROP CONSTRAINT outbox_dlq_event_attempt_pkey",
                                        "(event_id, failed_at) is not a key"),
                                damage(POSTGRESQL, AUDIT, "ALTER detail TYPE varchar(100)", "detail is character"),
                                damage(POSTGRESQL, AUDIT, "ALTER done_at TYPE timestamptz", "with time zone")),
                        Stream.of(damage(MYSQL, LETTERS, "MODIFY payload JSON", "payload is json, not MEDIUMTEXT")),
                        onBoth(LETTERS, "MODIFY payload VARCHAR(100)", "payload is varchar(100), not MEDIUMTEXT"),
                        onBoth(LETTERS, "MODIFY payload MEDIUMTEXT CHARACTER SET latin1", "into payload (latin1)"),
                        onBoth(LETTERS, "MODIFY event_id VARCHAR(26) NOT NULL", "event_id is varchar(26)"),
                        onBoth(ATTEMPTS, "MODIFY error VARCHAR(100)", "error is varchar(100), not TEXT"),
                        onBoth(ATTEMPTS, "DROP PRIMARY KEY", "(event_id, failed_at) is not a key"),
                        onBoth(AUDIT, "MODIFY detail VARCHAR(100)", "detail is varchar(100), not TEXT"),
                        onBoth(AUDIT, "MODIFY done_at DATETIME NOT NULL", "done_at is datetime, not DATETIME(6)"))
                .flatMap(damages -> damages);
    }

    @ParameterizedTest
    @MethodSource("errors")
    void whatIsWrongIsNamedWithTheStatementThatMendsIt(
            TestDatabase database, String table, String damage, String finding) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2)) {
            check(pool, true);
            OutboxRows.execute(pool, "ALTER TABLE " + table + " " + damage);

            OutboxSchemaException wrong = catchThrowableOfType(OutboxSchemaException.class, () -> check(pool, false));

            assertThat(wrong).hasMessageContaining(table + " cannot be used").hasMessageContaining(finding);
            assertThat(wrong.tableName()).isEqualTo(table);
            OutboxRows.execute(pool, wrong.statements().toArray(String[]::new));
            check(pool, false);
        }
    }

    @ParameterizedTest
    @EnumSource
    void thoseOfOurOwnScriptsPassWithoutAWord(TestDatabase database) {
        try (HikariDataSource pool = TestDatabase.pool(database.newUrl(), 2);
                CapturedLog log = CapturedLog.open()) {
            check(pool, true);

            assertThat(log.text()).doesNotContain("works, but");
        }
    }

    @Test
    void aMissingIndexIsSaidAndCreated() {
        try (HikariDataSource pool = TestDatabase.pool(POSTGRESQL.newUrl(), 2);
                CapturedLog log = CapturedLog.open()) {
            check(pool, true);
            OutboxRows.execute(pool, "DROP INDEX outbox_dlq_event_settled");

            check(pool, false);
            assertThat(log.text()).contains("outbox_dlq_event works, but", "no index on (status, updated_at)");

            check(pool, true);
            assertThat(OutboxRows.number(
                            pool, "SELECT COUNT(*) FROM pg_indexes WHERE indexname = 'outbox_dlq_event_settled'"))
                    .isOne();
        }
    }

    /** Creates the tables, or only checks them; the last one is always created where it is missing. */
    private static void check(HikariDataSource pool, boolean create) {
        JdbcOutbox jdbc = JdbcOutbox.of(pool);
        DeadLetterSchema schema = DeadLetterSchema.of(pool, DeadLetterStore.of(jdbc.store()));
        if (create) {
            schema.createIfMissing();
        }
        schema.validate();
        jdbc.store()
                .housekeeping(new DataSourceConnectionProvider(pool), jdbc.purger())
                .inspection()
                .orElseThrow()
                .prepareAudit();
    }
}
