package io.outbox.oraclestandin;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each rule that no grammar knows, broken once. */
class OracleRulesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "ORA-02014 | SELECT a FROM t ORDER BY a FETCH FIRST 5 ROWS ONLY FOR UPDATE SKIP LOCKED",
                "ORA-02014 | SELECT DISTINCT a FROM t FOR UPDATE",
                "ORA-00907 | DELETE FROM t WHERE a IN (SELECT a FROM t FOR UPDATE SKIP LOCKED)",
                "empty text | SELECT a FROM t WHERE a >= ''",
                "ORA-00904: level | SELECT a AS level FROM t",
                "ORA-00904: not known | SELECT CHAR_LENGTH(a) FROM t",
                "ORA-00904: not known | SELECT UTC_TIMESTAMP(6) FROM DUAL",
                "ORA-12899 | CREATE TABLE t (a VARCHAR2(36))",
                "fractions | CREATE TABLE t (a DATE)",
                "ORA-00932 | UPDATE t SET status = 1 WHERE event_id = ? AND last_error = ?",
                "ORA-00972 | SELECT aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa FROM t"
            })
    void aBrokenRuleIsNamed(String rule, String sql) {
        assertThat(OracleRules.broken(sql))
                .anySatisfy(broken -> assertThat(broken).contains(rule));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE t SET last_error = ? WHERE event_id = ?",
                "SELECT LENGTH(payload) + COALESCE(LENGTH(headers), 0) AS bytes FROM t WHERE NOT EXISTS (SELECT 1 FROM u)",
                "INSERT INTO t (event_id, status) VALUES (?, 0)",
                "MERGE INTO t m USING (SELECT ? AS a FROM DUAL) n ON (m.a = n.a) WHEN NOT MATCHED THEN INSERT (a) VALUES (n.a)"
            })
    void whatOracleTakesBreaksNone(String sql) {
        assertThat(OracleRules.broken(sql)).isEmpty();
    }

    @Test
    void listsHaveAtMostAThousandValues() {
        String places = String.join(", ", Collections.nCopies(1000, "?"));

        assertThat(OracleRules.broken("SELECT a FROM t WHERE a IN (" + places + ")"))
                .isEmpty();
        assertThat(OracleRules.broken("SELECT a FROM t WHERE a NOT IN (" + places + ", ?)"))
                .containsExactly("ORA-01795: at most 1000 expressions in a list");
    }

    @Test
    void anEmptyTextMayBeWrittenButNotComparedWith() {
        assertThat(OracleRules.isCompared("INSERT INTO t (a, b) VALUES (?, ?)", 2))
                .isFalse();
        assertThat(OracleRules.isCompared("UPDATE t SET a = ? WHERE b > ?", 1)).isFalse();
        assertThat(OracleRules.isCompared("UPDATE t SET a = ? WHERE b > ?", 2)).isTrue();
        assertThat(OracleRules.isCompared("SELECT a FROM t WHERE a IN (?, ?)", 2))
                .isTrue();
    }
}
