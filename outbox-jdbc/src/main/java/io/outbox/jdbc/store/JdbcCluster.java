package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.ClusterFigures;
import io.outbox.model.ClusterNode;
import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import io.outbox.spi.ConnectionProvider;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Three small tables beside that of the outbox: {@code _node}, {@code _control} and {@code _figures}. Each statement is
 * a transaction of its own. None of them touches the outbox table, so delivery never waits for one.
 */
final class JdbcCluster implements ClusterBackend {

    private static final String WAYS =
            "schema/%%1$s-%s.sql in the outbox-jdbc jar (for Flyway in classpath:schema/flyway-admin/%%1$s, for Liquibase in"
                    + " schema/liquibase/outbox-admin.xml)";

    private static final ManagedTable.Description NODES = description("table of nodes", "node");
    private static final ManagedTable.Description RECORDS = description("table of operators' orders", "control");
    private static final ManagedTable.Description FIGURES = description("table of nodes' figures", "figures");

    private static final String JOIN_AGAIN = """
            UPDATE {nodes} SET node_name = ?, seen_at = {now}, report = ? WHERE node_id = ?""";

    private static final String JOIN = """
            INSERT INTO {nodes} (node_id, node_name, started_at, seen_at, report) VALUES (?, ?, {now}, {now}, ?)""";

    private static final String SEEN_AT = "SELECT seen_at FROM {nodes} WHERE node_id = ?";

    /** One statement says that a node is there and asks whether there is news. */
    private static final String BEAT = """
            UPDATE {nodes} SET seen_at = {now}, report = ? WHERE node_id = ?
            AND EXISTS (SELECT 1 FROM {records} r WHERE r.control_id = ? AND r.revision = ?)
            AND NOT EXISTS (SELECT 1 FROM {records} u WHERE u.kind = ? AND u.touched_at < ?)""";

    private static final String LEAVE = "DELETE FROM {nodes} WHERE node_id = ?";

    private static final String ALL_NODES = """
            SELECT node_id, node_name, started_at, seen_at, report, {now} AS now_at FROM {nodes}
            ORDER BY node_name, node_id""";

    private static final String FORGET_NODES = "DELETE FROM {nodes} WHERE seen_at < ?";

    private static final String RECORD =
            "SELECT control_id, kind, revision, touched_at, content, {now} AS now_at FROM {records}";

    private static final String INSERT_RECORD = """
            INSERT INTO {records} (control_id, kind, revision, touched_at, content) VALUES (?, ?, 1, {now}, ?)""";

    private static final String UPDATE_RECORD = """
            UPDATE {records} SET kind = ?, revision = revision + 1, touched_at = {now}, content = ?
            WHERE control_id = ? AND revision = ?""";

    private static final String REMOVE_RECORD = "DELETE FROM {records} WHERE control_id = ? AND revision = ?";

    private static final String INSERT_FIGURES = """
            INSERT INTO {figures} (span, slot, node_id, node_name, content) VALUES (?, ?, ?, ?, ?)""";

    private static final String UPDATE_FIGURES = """
            UPDATE {figures} SET content = ? WHERE span = ? AND slot = ? AND node_id = ?""";

    private static final String SELECT_FIGURES = """
            SELECT span, slot, node_id, node_name, content FROM {figures} WHERE span = ? AND slot >= ?
            ORDER BY span, slot, node_id""";

    private static final String PURGE_FIGURES = "DELETE FROM {figures} WHERE span = ? AND slot < ?";

    private static final String CONSTRAINT_VIOLATED = "23";

    private final AbstractJdbcOutboxStore store;
    private final ConnectionProvider provider;
    private final StoreConnections connections;

    private JdbcCluster(AbstractJdbcOutboxStore store, ConnectionProvider provider) {
        this.store = store;
        this.provider = provider;
        this.connections = new StoreConnections(store, provider);
    }

    private static ManagedTable.Description description(String title, String name) {
        return new ManagedTable.Description(
                title, JdbcCluster.class, "-" + name, "outbox_event_" + name, WAYS.formatted(name));
    }

    /** Returns the cluster of a store; empty for a database that has no such tables in our jar. */
    static Optional<ClusterBackend> of(AbstractJdbcOutboxStore store, ConnectionProvider provider) {
        String script = "/schema/" + store.schemaScript() + NODES.suffix() + ".sql";
        return JdbcCluster.class.getResource(script) == null
                ? Optional.empty()
                : Optional.of(new JdbcCluster(store, provider));
    }

    @Override
    public void prepare() {
        Stream.of(NODES, RECORDS, FIGURES).forEach(description -> {
            ManagedTable table = store.table(description, nameOf(description));
            table.createIfMissing(provider);
            table.validate(provider);
        });
    }

    @Override
    public Instant join(String nodeId, String nodeName, String report) {
        return connections.limited(conn -> {
            if (update(conn, JOIN_AGAIN, nodeName, report, nodeId) == 0) {
                update(conn, JOIN, nodeId, nodeName, report);
            }
            return sql(SEEN_AT).one(conn, row -> JdbcTemplate.instant(row, "seen_at"), nodeId);
        });
    }

    @Override
    public boolean beat(String nodeId, String report, Watch watch) {
        return changed(BEAT, report, nodeId, watch.recordId(), watch.revision(), watch.kind(), watch.untouchedSince());
    }

    @Override
    public void leave(String nodeId) {
        changed(LEAVE, nodeId);
    }

    @Override
    public List<ClusterNode> nodes() {
        return connections.readingLimited(conn -> sql(ALL_NODES)
                .query(
                        conn,
                        row -> new ClusterNode(
                                row.getString("node_id"),
                                row.getString("node_name"),
                                JdbcTemplate.instant(row, "started_at"),
                                ClusterBackend.since(
                                        JdbcTemplate.instant(row, "seen_at"), JdbcTemplate.instant(row, "now_at")),
                                row.getString("report"))));
    }

    @Override
    public int forgetNodes(Instant notSince) {
        return connections.limited(conn -> update(conn, FORGET_NODES, notSince));
    }

    @Override
    public Optional<ClusterRecord> record(String id) {
        return connections.readingLimited(
                conn -> sql(RECORD + " WHERE control_id = ?").first(conn, JdbcCluster::mapRecord, id));
    }

    @Override
    public List<ClusterRecord> records(String kind) {
        return connections.readingLimited(
                conn -> sql(RECORD + " WHERE kind = ? ORDER BY control_id").query(conn, JdbcCluster::mapRecord, kind));
    }

    private static ClusterRecord mapRecord(ResultSet row) throws SQLException {
        return new ClusterRecord(
                row.getString("control_id"),
                row.getString("kind"),
                row.getLong("revision"),
                row.getString("content"),
                ClusterBackend.since(JdbcTemplate.instant(row, "touched_at"), JdbcTemplate.instant(row, "now_at")));
    }

    @Override
    public boolean save(ClusterRecord record) {
        return record.revision() == 0
                ? inserted(INSERT_RECORD, record.id(), record.kind(), record.content())
                : changed(UPDATE_RECORD, record.kind(), record.content(), record.id(), record.revision());
    }

    @Override
    public boolean remove(ClusterRecord record) {
        return changed(REMOVE_RECORD, record.id(), record.revision());
    }

    @Override
    public void addFigures(ClusterFigures figures) {
        if (!insertFigures(figures)) {
            updateFigures(figures);
        }
    }

    @Override
    public void replaceFigures(ClusterFigures figures) {
        if (!updateFigures(figures)) {
            insertFigures(figures);
        }
    }

    private boolean insertFigures(ClusterFigures figures) {
        return inserted(
                INSERT_FIGURES,
                figures.span(),
                figures.slot(),
                figures.nodeId(),
                figures.nodeName(),
                figures.content());
    }

    private boolean updateFigures(ClusterFigures figures) {
        return changed(UPDATE_FIGURES, figures.content(), figures.span(), figures.slot(), figures.nodeId());
    }

    @Override
    public List<ClusterFigures> figures(int span, long fromSlot) {
        return connections.readingLimited(conn -> sql(SELECT_FIGURES)
                .query(
                        conn,
                        row -> new ClusterFigures(
                                row.getString("node_id"),
                                row.getString("node_name"),
                                row.getInt("span"),
                                row.getLong("slot"),
                                row.getString("content")),
                        span,
                        fromSlot));
    }

    @Override
    public int purgeFigures(int span, long beforeSlot) {
        return connections.limited(conn -> update(conn, PURGE_FIGURES, span, beforeSlot));
    }

    /** Runs a statement that changes a row, and returns whether there was one. */
    private boolean changed(String template, Object... params) {
        return connections.limited(conn -> update(conn, template, params) > 0);
    }

    /** Runs an INSERT, and returns whether there was no row with the key yet. */
    private boolean inserted(String template, Object... params) {
        try {
            return changed(template, params);
        } catch (OutboxStoreException e) {
            if (isKeyTaken(e)) {
                return false;
            }
            throw e;
        }
    }

    /** The key is the only constraint of these tables that our values can break. */
    private static boolean isKeyTaken(OutboxStoreException e) {
        return e.getCause() instanceof SQLException cause
                && cause.getSQLState() != null
                && cause.getSQLState().startsWith(CONSTRAINT_VIOLATED);
    }

    private int update(Connection conn, String template, Object... params) {
        return store.repeating(conn, () -> sql(template).update(conn, params));
    }

    private Sql sql(String template) {
        return store.sql(template)
                .with("nodes", nameOf(NODES))
                .with("records", nameOf(RECORDS))
                .with("figures", nameOf(FIGURES));
    }

    private String nameOf(ManagedTable.Description description) {
        return store.tableName() + description.suffix().replace('-', '_');
    }
}
