package io.outbox.jdbc.internal.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.Repetition;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What errors of Oracle mean, by the messages and states that its driver reports. */
class OracleErrorTest {

    private static OutboxStoreException failure(String message, String state) {
        int code = Integer.parseInt(message.substring(4, 9));
        return new OutboxStoreException("Outbox statement failed", new SQLException(message, state, code));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ORA-00001: unique constraint (SHOP.OUTBOX_EVENT_PK) violated | true",
                "ORA-00001: unique constraint (SHOP.SYS_C0012345) violated | true",
                "ORA-00001: Unique Constraint (SHOP.PK_OUTBOX) verletzt | true",
                "ORA-00001: unique constraint (SHOP.ONE_PER_ORDER) violated | false",
                "ORA-00001: unique constraint (SHOP.X) violated on table SHOP.OUTBOX_EVENT columns (EVENT_ID) | true",
                "ORA-00001: unique constraint (SHOP.A_PK) violated on table SHOP.OUTBOX_EVENT columns (TENANT_ID) | false",
                "ORA-02290: check constraint (SHOP.OUTBOX_EVENT_PK) violated | false"
            })
    void aDuplicateEventIsToldFromAnIndexOfTheApplication(String message, boolean isDuplicate) {
        assertThat(OracleError.of(new SQLException(message, "23000", 1)).isDuplicateKey())
                .isEqualTo(isDuplicate);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ORA-00060: deadlock detected while waiting for resource | 61000 | true",
                "ORA-08177: can't serialize access for this transaction | 72000 | true",
                "ORA-00054: resource busy and acquire with NOWAIT specified | 61000 | false",
                "ORA-30006: resource busy; acquire with WAIT timeout expired | 61000 | false"
            })
    void whatOracleGaveUpIsRepeatedAndALongWaitIsNot(String message, String state, boolean isRepeatable) {
        assertThat(Repetition.isRepeatable(failure(message, state))).isEqualTo(isRepeatable);
        assertThat(failure(message, state).isWithoutEffect()).isTrue();
        assertThat(failure(message, state).isRefusal()).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ORA-12899: value too large for column \"SHOP\".\"OUTBOX_EVENT\".\"EVENT_TYPE\" | 72000",
                "ORA-01400: cannot insert NULL into (\"SHOP\".\"OUTBOX_EVENT\".\"EVENT_TYPE\") | 23000",
                "ORA-01461: can bind a LONG value only for insert into a LONG column | 72000",
                "ORA-02290: check constraint (SHOP.POSITIVE) violated | 23000",
                "ORA-20001: no events on Sundays | 72000"
            })
    void valuesThatOracleDoesNotTakeAreRefused(String message, String state) {
        assertThat(failure(message, state).isRefusal()).isTrue();
        assertThat(failure(message, state).isWithoutEffect()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ORA-03113: end-of-file on communication channel | 99999",
                "ORA-00028: your session has been killed | 99999",
                "ORA-01089: immediate shutdown in progress | 99999",
                "ORA-17002: I/O error: Connection reset | 08006"
            })
    void withoutAnAnswerNobodyKnows(String message, String state) {
        assertThat(failure(message, state).isWithoutEffect()).isFalse();
        assertThat(failure(message, state).isRefusal()).isFalse();
    }

    @Test
    void aMissingRightIsKnown() {
        assertThat(failure("ORA-01031: insufficient privileges", "42000").isForbidden())
                .isTrue();
        assertThat(failure("ORA-41900: missing DELETE privilege on \"SHOP\".\"OUTBOX_EVENT\"", "42000")
                        .isForbidden())
                .isTrue();
    }

    @Test
    void aStandbyThatOnlyReadsIsKnown() {
        assertThat(failure("ORA-16000: database or pluggable database open for read-only access", "72000")
                        .isReadOnly())
                .isTrue();
    }

    @Test
    void theSameNumberOfAnotherDatabaseMeansNothing() {
        SQLException ofMySql = new SQLException("Table storage engine doesn't have this option", "HY000", 1031);

        assertThat(new OutboxStoreException("failed", ofMySql).isForbidden()).isFalse();
    }
}
