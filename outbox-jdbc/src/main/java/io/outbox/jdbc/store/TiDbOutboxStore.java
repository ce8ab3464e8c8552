package io.outbox.jdbc.store;

import java.util.List;
import java.util.Optional;

/**
 * The store for TiDB, which speaks MySQL's protocol but knows no SKIP LOCKED: claims wait for each other. Transactions
 * have to be pessimistic, as they are by default. It was written from TiDB's documentation; we have not run it on a
 * server.
 */
public final class TiDbOutboxStore extends MySqlOutboxStore {

    public TiDbOutboxStore() {}

    public TiDbOutboxStore(String tableName) {
        super(tableName);
    }

    @Override
    public String name() {
        return "tidb";
    }

    /** {@link JdbcOutboxStores#detect(javax.sql.DataSource)} also knows TiDB behind MySQL's driver, by its version. */
    @Override
    public List<String> jdbcUrlPrefixes() {
        return List.of("jdbc:tidb:");
    }

    @Override
    public String schemaScript() {
        return "mysql";
    }

    @Override
    public TiDbOutboxStore withTable(String tableName) {
        return new TiDbOutboxStore(tableName);
    }

    /** Its numbers are given out in ranges, one for each server, and claims of a key must not wait for each other. */
    @Override
    boolean canBeKeyed() {
        return false;
    }

    /** TiDB has no tables of InnoDB. */
    @Override
    List<DatabaseFigures.Question> figures() {
        return List.of();
    }

    /** Every server of TiDB writes; the variable of MySQL has no effect on it. */
    @Override
    protected Optional<String> readOnlyQuery() {
        return Optional.empty();
    }

    @Override
    String indexHint(String table, String index) {
        return "USE_INDEX(" + table + ", " + index + ")";
    }

    @Override
    RowChange.Waiting waiting() {
        return RowChange.Waiting.UNBOUNDED;
    }
}
