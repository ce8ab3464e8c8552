package io.outbox.soak;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.soak.Sql.Toggle;
import io.outbox.soak.cluster.Address;
import io.outbox.soak.judge.Row;
import io.outbox.soak.node.Business;
import io.outbox.testservers.DatabaseServer;
import io.outbox.testservers.TcpProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** An outbox table, looked at with plain JDBC. */
final class SqlStore implements Store {

    private static final String ALL = "SELECT event_id, status, attempts, locked_by FROM outbox_event";
    private static final String COUNT_PENDING = "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)";

    private final Sql sql;
    private final Replica.Maker replicas;
    private final List<DatabaseServer> formerServers = new ArrayList<>();
    private DatabaseServer server;
    private String jdbcUrl;
    private int lockings;

    /** Creates the table in a database of its own. */
    SqlStore(DatabaseServer server, Sql sql, Replica.Maker replicas) {
        this.server = server;
        this.sql = sql;
        this.replicas = replicas;
        this.jdbcUrl = server.newDatabase();
        try (HikariDataSource dataSource = new HikariDataSource()) {
            dataSource.setJdbcUrl(jdbcUrl);
            dataSource.setMaximumPoolSize(1);
            JdbcOutbox.of(dataSource).createSchema();
            OutboxSchema.of(dataSource, "outbox_event").createLaneIndexIfMissing();
            OutboxSchema.of(dataSource).createKeyedIfMissing();
            Business.createTables(dataSource);
        }
    }

    @Override
    public DatabaseServer server() {
        return server;
    }

    @Override
    public Address address() {
        return new Address(jdbcUrl, jdbcUrl + sql.networkTimeouts(), server.port());
    }

    @Override
    public List<Row> rows() throws SQLException {
        List<Row> rows = new ArrayList<>();
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(ALL)) {
            while (result.next()) {
                rows.add(new Row(result.getString(1), result.getInt(2), result.getInt(3), result.getString(4)));
            }
        }
        return rows;
    }

    @Override
    public long countPending() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(COUNT_PENDING)) {
            result.next();
            return result.getLong(1);
        }
    }

    @Override
    public Trouble refusing() {
        return new Session(sql.readOnly());
    }

    @Override
    public Trouble blocking() {
        return new Session(sql.locked());
    }

    @Override
    public Trouble lockingRows() {
        lockings++;
        return lockings % 2 == 1 ? RowLocks.ofFew(this::connect) : RowLocks.ofAll(this::connect);
    }

    @Override
    public Trouble holdingSnapshot() {
        return new Session(sql.snapshot());
    }

    @Override
    public Trouble endingSessions() {
        return new EndedSessions(this::connect, sql.sessions());
    }

    @Override
    public Trouble failingOver(List<TcpProxy> proxies) {
        return new Trouble() {
            @Override
            public Set<String> begin() {
                Replica replica = replicas.of(server, formerServers.size());
                formerServers.add(server);
                replica.takeOver().run();
                jdbcUrl = DatabaseServer.urlAt(
                        jdbcUrl, server.port(), replica.server().port());
                server = replica.server();
                return Set.of();
            }

            @Override
            public void end() {
                proxies.forEach(proxy -> proxy.moveTo(server.port()));
            }
        };
    }

    @Override
    public Trouble movingSlot(List<TcpProxy> proxies) {
        throw new UnsupportedOperationException("Only Redis has slots");
    }

    private Connection connect() throws SQLException {
        return DriverManager.getConnection(jdbcUrl + sql.lockTimeout());
    }

    @Override
    public void close() {
        server.close();
        formerServers.forEach(DatabaseServer::close);
    }

    /** A session that lasts as long as what it has turned on. */
    private final class Session implements Trouble {

        private final Toggle toggle;
        private Connection connection;

        private Session(Toggle toggle) {
            this.toggle = toggle;
        }

        @Override
        public Set<String> begin() throws SQLException {
            connection = connect();
            execute(toggle.on());
            return Set.of();
        }

        @Override
        public void end() throws SQLException {
            execute(List.of(toggle.off()));
            connection.close();
        }

        private void execute(List<String> statements) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                for (String each : statements) {
                    statement.execute(each);
                }
            }
        }
    }
}
