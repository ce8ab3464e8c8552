package io.outbox.oraclestandin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The judges take what Oracle takes, and refuse what other databases take and Oracle does not. */
class OracleGrammarTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT event_id FROM t WHERE status = 0 ORDER BY status, event_id FETCH FIRST ? ROWS ONLY",
                "SELECT event_id FROM t ORDER BY event_id OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY",
                "(SELECT a FROM t FETCH FIRST 1 ROWS ONLY) UNION ALL (SELECT a FROM t FETCH FIRST 1 ROWS ONLY)",
                "SELECT event_id FROM t WHERE event_id IN (?, ?) AND status <> 1 FOR UPDATE SKIP LOCKED",
                "SELECT event_id FROM t WHERE event_id IN (?, ?) ORDER BY event_id FOR UPDATE WAIT 10",
                "SELECT SYS_EXTRACT_UTC(SYSTIMESTAMP) AS utc FROM DUAL",
                "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
                "ALTER SESSION SET NLS_COMP = BINARY NLS_SORT = BINARY"
            })
    void bothParsersTakeWhatOracleTakes(String sql) {
        assertThat(OracleGrammar.errors(sql)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT event_id FROM t WHERE status = 0 LIMIT 1",
                "DELETE FROM t WHERE a = ? ORDER BY a LIMIT 1",
                "SELECT COUNT(*) FROM (SELECT a FROM t) AS w",
                "SELECT a FROM t FORCE INDEX (PRIMARY) WHERE a = ?",
                "INSERT INTO t (a) VALUES (?) ON CONFLICT DO NOTHING",
                "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = a",
                "SELECT a FROM t WHERE a = ANY(ARRAY(SELECT a FROM t))",
                "WITH RECURSIVE g AS (SELECT a FROM t) SELECT a FROM g",
                "CREATE INDEX i ON t (a) WHERE a = 1"
            })
    void atLeastOneParserRefusesTheWordsOfOtherDatabases(String sql) {
        assertThat(OracleGrammar.errors(sql)).isNotEmpty();
    }
}
