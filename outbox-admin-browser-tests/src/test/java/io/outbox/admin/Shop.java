package io.outbox.admin;

import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.RetryAfterException;
import io.outbox.RouteUnavailableException;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.dispatch.LanePolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A shop whose outbox is administered. An event with the header {@value #ERROR} fails with it until the shop is mended;
 * one with {@value #CAUSE}, too, fails for that; one with {@value #UNREACHABLE} finds nobody, and one with {@value
 * #LATER} is to come again in an hour.
 */
final class Shop implements AutoCloseable {

    static final String ERROR = "test-error";
    static final String CAUSE = "test-cause";
    static final String UNREACHABLE = "test-unreachable";
    static final String LATER = "test-later";
    static final String LANE = "ShipmentDispatched";
    static final String OTHER_LANE = "InvoiceIssued";
    static final List<String> TYPES = List.of("OrderPlaced", "PaymentCaptured", LANE, OTHER_LANE, "CustomerNotified");

    private final HikariDataSource pool = new HikariDataSource(config());
    private final JdbcOutbox jdbc;
    final OutboxAdmin admin;
    private final OutboxAdminServer server;
    private volatile boolean isMended;
    final Outbox outbox;

    private Shop(Setup setup) {
        JdbcOutbox plain = JdbcOutbox.of(pool);
        this.jdbc = (setup.hasDeadLetters ? plain.withDeadLetters() : plain).createSchema();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        TYPES.forEach(type -> listeners.register("Order", type, this::deliver));
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(jdbc.backend())
                .lane(
                        LANE,
                        LanePolicy.builder().concurrency(4).maxPerSecond(500).build())
                .lane(
                        OTHER_LANE,
                        LanePolicy.builder().concurrency(2).maxAttempts(5).build())
                .intervalMs(100)
                .maxAttempts(3)
                .retryPolicy(RetryPolicy.fixed(Duration.ofMillis(1)))
                .metrics(setup.series);
        if (setup.keepsOrder) {
            OutboxSchema.of(pool).createKeyedIfMissing();
            DeadLetterSchema.of(pool, DeadLetterStore.of(plain.store())).createKeyedIfMissing();
            builder.ordering(Ordering.byKey());
        }
        if (setup.ownLane != null) {
            listeners.register("Order", setup.ownLane, this::deliver);
            builder.lane(setup.ownLane, LanePolicy.builder().maxAttempts(1).build());
        }
        this.outbox = builder.listenerRegistry(listeners).build();
        this.admin = setup.settings
                .apply(OutboxAdmin.of(outbox).series(setup.series))
                .build();
        this.server = OutboxAdminServer.start(admin, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    /** How a shop differs from others. */
    record Setup(
            boolean hasDeadLetters,
            OutboxSeries series,
            String ownLane,
            UnaryOperator<OutboxAdmin.Builder> settings,
            boolean keepsOrder) {

        static Setup usual() {
            return new Setup(true, OutboxSeries.around(MetricsExporter.NOOP), null, settings -> settings, false);
        }

        Setup withoutDeadLetters() {
            return new Setup(false, series, ownLane, settings, keepsOrder);
        }

        Setup with(OutboxSeries other) {
            return new Setup(hasDeadLetters, other, ownLane, settings, keepsOrder);
        }

        Setup withLane(String type) {
            return new Setup(hasDeadLetters, series, type, settings, keepsOrder);
        }

        Setup with(UnaryOperator<OutboxAdmin.Builder> other) {
            return new Setup(hasDeadLetters, series, ownLane, other, keepsOrder);
        }

        Setup orderedByKey() {
            return new Setup(hasDeadLetters, series, ownLane, settings, true);
        }

        Shop open() {
            return new Shop(this);
        }
    }

    static Shop open() {
        return Setup.usual().open();
    }

    private static HikariConfig config() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:shop_" + UUID.randomUUID().toString().replace("-", "")
                + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=60000");
        config.setMaximumPoolSize(12);
        return config;
    }

    private DispatchResult deliver(EventEnvelope event) {
        String unreachable = event.headers().get(UNREACHABLE);
        if (unreachable != null && !isMended) {
            throw new RouteUnavailableException(unreachable);
        }
        String later = event.headers().get(LATER);
        if (later != null && !isMended) {
            throw new RetryAfterException(Duration.ofHours(1), later);
        }
        String error = event.headers().get(ERROR);
        String cause = event.headers().get(CAUSE);
        if (cause != null && !isMended) {
            throw new IllegalStateException(error, new UncheckedIOException(new IOException(cause)));
        }
        if (error != null && !isMended) {
            throw new IllegalStateException(error);
        }
        return DispatchResult.done();
    }

    /** Lets everything succeed from now on. */
    void mend() {
        isMended = true;
    }

    /** Returns an event that can be written as it is. */
    static EventEnvelope.Builder event(String type) {
        return EventEnvelope.builder(type)
                .aggregateType("Order")
                .aggregateId("order-1")
                .tenantId("acme")
                .payloadJson("{\"total\":12345678901234567890.50}");
    }

    String write(EventEnvelope.Builder event) {
        return writeAll(List.of(event.build())).get(0);
    }

    List<String> writeAll(List<EventEnvelope> events) {
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    /** Does what an operator does. */
    void act(String who, String path, String body) {
        AdminResponse answer = admin.handle(new AdminRequest(
                AdminRequest.Target.of("POST", "/outbox-admin/api/" + path, null),
                Map.of("Content-Type", "application/json"),
                body.getBytes(StandardCharsets.UTF_8),
                InetAddress.getLoopbackAddress(),
                new Caller(who, Set.of(Role.OPERATE))));
        if (answer.status() >= 300) {
            throw new IllegalStateException(path + " was answered with " + answer.status());
        }
    }

    /** Lets another node have an event in hand. */
    void lock(String id, String node) {
        update("UPDATE outbox_event SET locked_by = ?, locked_at = CURRENT_TIMESTAMP WHERE event_id = ?", node, id);
    }

    void update(String sql, String... values) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Holds a dead letter in a transaction, so that whoever wants to change it waits until that is over. */
    Connection hold(String id) throws SQLException {
        Connection connection = pool.getConnection();
        connection.setAutoCommit(false);
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT event_id FROM outbox_dlq_event WHERE event_id = ? FOR UPDATE")) {
            statement.setString(1, id);
            statement.executeQuery().close();
        }
        return connection;
    }

    /** Writes events that fail, and returns when they are dead. */
    List<String> writeDead(int count, String type, String error) {
        List<EventEnvelope> events = Stream.generate(
                        () -> event(type).header(ERROR, error).build())
                .limit(count)
                .toList();
        List<String> ids = writeAll(events);
        awaitDead(ids);
        return ids;
    }

    void awaitDead(List<String> ids) {
        DeadLetterQueue letters = outbox.deadLetters().orElseThrow();
        await().atMost(Duration.ofSeconds(60))
                .until(() -> ids.stream().allMatch(id -> letters.find(id).isPresent()));
    }

    void awaitState(String id, EventStatus status) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> outbox.inspection()
                        .orElseThrow()
                        .find(id)
                        .filter(event -> event.status() == status)
                        .isPresent());
    }

    String origin() {
        return "http://localhost:" + server.address().getPort();
    }

    /** Returns the address of a page of the dashboard, which is given as in {@code events?status=DEAD}. */
    String page(String path) {
        return origin() + "/outbox-admin/#/" + path;
    }

    void loseStore() {
        pool.close();
    }

    void stopServing() {
        server.close();
    }

    @Override
    public void close() {
        server.close();
        admin.close();
        outbox.close();
        pool.close();
    }
}
