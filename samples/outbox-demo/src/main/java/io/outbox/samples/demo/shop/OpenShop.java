package io.outbox.samples.demo.shop;

import io.outbox.Outbox;
import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.OutboxAdminServer;
import io.outbox.admin.OutboxSeries;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import org.h2.jdbcx.JdbcConnectionPool;

/** The shop at work: its database, its outbox, the dashboard, and customers. */
final class OpenShop implements AutoCloseable {

    /** The database is gone with the process, and must not close by itself while the outbox is still being stopped. */
    private static final String DATABASE = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1;DB_CLOSE_ON_EXIT=FALSE";

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration KEPT = Duration.ofMinutes(10);
    private static final long PURGE_SECONDS = 30;
    private static final int MAX_ATTEMPTS = 3;

    private final JdbcConnectionPool pool = JdbcConnectionPool.create(DATABASE, "sa", "");
    private final Figures figures = new Figures();
    private final Troubles troubles = new Troubles();
    private final Outbox outbox;
    private final OutboxAdmin admin;
    private final OutboxAdminServer server;
    private final Customers customers;

    private OpenShop(int port) {
        JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
        Orders orders = Orders.create(jdbc);
        OutboxSeries series = OutboxSeries.around(figures);
        this.outbox = outbox(jdbc, new Services(orders, troubles), series);
        orders.writeTo(outbox.writer());
        this.admin = OutboxAdmin.of(outbox).series(series).build();
        this.server = serve(admin, port);
        this.customers = Customers.send(orders, troubles);
    }

    /** Opens the shop, with the dashboard at the port or, if that is taken, at any that is free. */
    static OpenShop open(int port) {
        return new OpenShop(port);
    }

    private Outbox outbox(JdbcOutbox jdbc, Services services, OutboxSeries series) {
        ExponentialBackoffRetryPolicy retries = new ExponentialBackoffRetryPolicy(500, 5_000);
        LanePolicy.Builder lane = LanePolicy.builder()
                .maxAttempts(MAX_ATTEMPTS)
                .retryPolicy(retries)
                .concurrency(2);
        return Outbox.multiNode()
                .backend(jdbc.backend())
                .claimLocking("shop-1", LEASE)
                .listenerRegistry(services.listeners())
                .maxAttempts(MAX_ATTEMPTS)
                .retryPolicy(retries)
                .lane(EventTypes.PAYMENT_REQUESTED, lane.build())
                .lane(EventTypes.INVOICE_REQUESTED, lane.build())
                .lane(EventTypes.PARCEL_SHIPPED, lane.build())
                .lane(EventTypes.MAIL_REQUESTED, lane.maxPerSecond(50).build())
                .purgeRetention(KEPT)
                .purgeIntervalSeconds(PURGE_SECONDS)
                .intervalMs(500)
                .writerHook(figures)
                .metrics(series)
                .build();
    }

    static OutboxAdminServer serve(OutboxAdmin admin, int port) {
        try {
            return OutboxAdminServer.start(admin, new InetSocketAddress("127.0.0.1", port));
        } catch (UncheckedIOException e) {
            if (port != 0 && e.getCause() instanceof BindException) {
                return serve(admin, 0);
            }
            throw e;
        }
    }

    /** Returns where the dashboard is. */
    InetSocketAddress address() {
        return server.address();
    }

    /** Returns a line about what has happened so far, and lets it have a say in how much trouble there is to be. */
    String figures() {
        long letters = outbox.deadEvents().count(null);
        troubles.setWaiting(letters);
        return figures.line(letters);
    }

    /** Lets no more customers in, and delivers what is in hand. */
    void stop() {
        customers.close();
        server.close();
        admin.close();
        outbox.close();
    }

    /** Returns what is still in the tables after the stop. */
    String leftBehind() {
        return String.format(
                "left in the tables: %d events to deliver, %d dead letters",
                count("SELECT COUNT(*) FROM outbox_event WHERE status <> 1"),
                count("SELECT COUNT(*) FROM outbox_dlq_event"));
    }

    private int count(String sql) {
        try (Connection conn = pool.getConnection()) {
            return JdbcTemplate.query(conn, sql, row -> row.getInt(1)).get(0);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Closes what {@link #stop()} has not closed already, and the database. */
    @Override
    public void close() {
        stop();
        pool.dispose();
    }
}
