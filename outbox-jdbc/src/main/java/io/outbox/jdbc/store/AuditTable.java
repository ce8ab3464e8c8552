package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.AuditEntry;
import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.util.List;

/** The table of what operators have done: that of the outbox with {@code _audit}. */
final class AuditTable {

    private static final ManagedTable.Description DESCRIPTION = new ManagedTable.Description(
            "table of what operators have done",
            AuditTable.class,
            "-audit",
            "outbox_event_audit",
            "schema/%1$s-audit.sql in the outbox-jdbc jar (for Flyway in classpath:schema/flyway-admin/%1$s, for Liquibase"
                    + " in schema/liquibase/outbox-admin.xml)");

    private static final String INSERT = """
            INSERT INTO {audit} (audit_id, done_at, done_by, action, target, detail) VALUES (?, ?, ?, ?, ?, ?)""";

    private static final String LATEST = """
            SELECT audit_id, done_at, done_by, action, target, detail FROM {audit}{before}
            ORDER BY audit_id DESC LIMIT ?""";

    private final AbstractJdbcOutboxStore store;
    private final String tableName;

    AuditTable(AbstractJdbcOutboxStore store) {
        this.store = store;
        this.tableName = store.tableName() + "_audit";
    }

    /** Creates the table if it is not there, and checks it. */
    void prepare(ConnectionProvider connections) {
        ManagedTable table = store.table(DESCRIPTION, tableName);
        table.createIfMissing(connections);
        table.validate(connections);
    }

    void insert(Connection conn, AuditEntry entry) {
        store.inserts()
                .update(
                        conn,
                        sql(INSERT).toString(),
                        entry.id(),
                        entry.at(),
                        entry.who(),
                        entry.action(),
                        entry.target(),
                        entry.detail());
    }

    List<AuditEntry> latest(Connection conn, String before, int limit) {
        Object[] params = before == null ? new Object[] {limit} : new Object[] {before, limit};
        return sql(LATEST)
                .with("before", before == null ? "" : " WHERE audit_id < ?")
                .query(
                        conn,
                        row -> new AuditEntry(
                                row.getString("audit_id"),
                                JdbcTemplate.instant(row, "done_at"),
                                row.getString("done_by"),
                                row.getString("action"),
                                row.getString("target"),
                                row.getString("detail")),
                        params);
    }

    private Sql sql(String template) {
        return store.sql(template).with("audit", tableName);
    }
}
