package io.outbox.jdbc.store;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.StoreFigure;
import io.outbox.model.StoreFigure.Kind;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;

/**
 * What a database tells about itself. Each figure is one query of the server's own statistics, which reads no table;
 * one that the user may not ask, or that this version does not know, is left out.
 */
final class DatabaseFigures {

    private static final System.Logger LOG = System.getLogger(DatabaseFigures.class.getName());

    /**
     * A figure that a database has.
     *
     * @param query its result is one number, or NULL for none; {@code {table}} stands for the table
     * @param limit from which number on there is something to do
     * @param advice what is wrong and what to do
     */
    record Question(Kind kind, String query, double limit, String advice) {}

    private final AbstractJdbcOutboxStore store;
    private final Connection conn;

    DatabaseFigures(AbstractJdbcOutboxStore store, Connection conn) {
        this.store = store;
        this.conn = conn;
    }

    List<StoreFigure> ask(List<Question> questions) {
        List<StoreFigure> figures = new ArrayList<>();
        for (Question question : questions) {
            try {
                String query = question.query.replace("{table}", store.tableName());
                store
                        .statements()
                        .query(conn, query, row -> {
                            double value = row.getDouble(1);
                            return row.wasNull() ? null : value;
                        })
                        .stream()
                        .filter(value -> value != null)
                        .map(value -> figure(question, value))
                        .forEach(figures::add);
            } catch (OutboxStoreException e) {
                LOG.log(Level.DEBUG, "The database does not report " + question.kind, e);
            }
        }
        return figures;
    }

    private static StoreFigure figure(Question question, double value) {
        return new StoreFigure(question.kind, value, value >= question.limit ? question.advice : null);
    }

    private static final String END_TRANSACTIONS = "; end it, or let the server end idle transactions";

    /** Of other databases on the server only replication matters: what they see keeps no row of ours. */
    static final List<Question> POSTGRESQL = List.of(
            new Question(
                    Kind.OLDEST_TRANSACTION_SECONDS,
                    """
                    SELECT extract(epoch FROM clock_timestamp() - min(began)) FROM (
                      SELECT xact_start AS began FROM pg_stat_activity
                      WHERE (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
                        AND datname = current_database() AND backend_type = 'client backend'
                        AND pid <> pg_backend_pid()
                      UNION ALL SELECT prepared FROM pg_prepared_xacts WHERE database = current_database()) open""",
                    600,
                    "A transaction has been open for minutes; vacuum cannot clean up what was finished since, and the"
                            + " table grows" + END_TRANSACTIONS + " (idle_in_transaction_session_timeout). If no"
                            + " session has it, it is a prepared transaction: see pg_prepared_xacts"),
            new Question(
                    Kind.OLDEST_SNAPSHOT_TRANSACTIONS,
                    """
                    SELECT max(age(oldest)) FROM (
                      SELECT backend_xmin AS oldest FROM pg_stat_activity
                      WHERE (datname = current_database() OR datname IS NULL) AND pid <> pg_backend_pid()
                      UNION ALL
                      SELECT transaction FROM pg_prepared_xacts WHERE database = current_database()) snapshots""",
                    1_000_000,
                    "A session, a prepared transaction or a standby with hot_standby_feedback still reads an old"
                            + " state; vacuum cannot clean up what was finished since: see"
                            + " pg_stat_activity.backend_xmin and pg_prepared_xacts, and end it"),
            new Question(
                    Kind.OLDEST_SLOT_TRANSACTIONS,
                    """
                    SELECT max(greatest(age(xmin), age(catalog_xmin))) FROM pg_replication_slots""",
                    1_000_000,
                    "A replication slot keeps an old state: start its consumer, or drop the slot (pg_replication_slots)"),
            new Question(
                    Kind.SLOT_RETAINED_BYTES,
                    """
                    SELECT max(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn)) FROM pg_replication_slots""",
                    4L << 30,
                    "A replication slot keeps gigabytes of the log, until the disk is full: start its consumer, drop the slot, or"
                            + " set max_slot_wal_keep_size"),
            new Question(
                    Kind.DEAD_ROWS,
                    """
                    SELECT n_dead_tup FROM pg_stat_all_tables WHERE relid = to_regclass('{table}')""",
                    1_000_000,
                    "Vacuum does not keep up with the outbox table: look for old transactions first, then lower its"
                            + " autovacuum_vacuum_scale_factor and autovacuum_vacuum_cost_delay"),
            new Question(
                    Kind.NOTIFICATION_QUEUE_USAGE,
                    "SELECT pg_notification_queue_usage()",
                    0.5,
                    "The queue of notifications fills up; when it is full, hints fail. A session that listens has a"
                            + " long-running transaction: end it"),
            new Question(
                    Kind.BLOCKED_STATEMENTS,
                    """
                    SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND state = 'active'
                      AND datname = current_database() AND query LIKE '%{table}%' AND pid <> pg_backend_pid()
                      AND query_start < clock_timestamp() - INTERVAL '5' SECOND""",
                    1,
                    "Statements on the outbox table have waited for a lock for seconds:"
                            + " pg_blocking_pids(pid) names who has it"));

    /** InnoDB has its times in the zone of the server, whichever the session has. */
    private static final String NOW_IN_INNODB = "convert_tz(utc_timestamp(), '+00:00', 'SYSTEM')";

    static final List<Question> MYSQL = List.of(
            new Question(
                    Kind.OLDEST_TRANSACTION_SECONDS,
                    """
                    SELECT timestampdiff(SECOND, min(trx_started), {now}) FROM information_schema.innodb_trx""".replace("{now}", NOW_IN_INNODB),
                    600,
                    "A transaction has been open for minutes; InnoDB keeps all former versions of rows since, and the"
                            + " tablespace grows" + END_TRANSACTIONS + ": see information_schema.innodb_trx"),
            new Question(
                    Kind.OLD_ROW_VERSIONS,
                    """
                    SELECT count FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len'""",
                    1_000_000,
                    "InnoDB has many former versions of rows to clean up: look for old transactions first"),
            new Question(
                    Kind.BLOCKED_STATEMENTS,
                    """
                    SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'
                      AND trx_query LIKE '%{table}%' AND trx_wait_started < {now} - INTERVAL '5' SECOND""".replace("{now}", NOW_IN_INNODB),
                    1,
                    "Statements on the outbox table have waited for a lock for seconds:"
                            + " sys.innodb_lock_waits names who has it"));
}
