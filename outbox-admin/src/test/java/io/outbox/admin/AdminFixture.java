package io.outbox.admin;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.LanePolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.UnaryOperator;

/** An outbox whose events fail until they are mended, its administration, and a server for that. */
final class AdminFixture implements AutoCloseable {

    static final String TYPE = "OrderPlaced";
    static final String LANE = "Shipped";
    static final String BASE = "/outbox-admin/api";
    static final String DLQ = "/api/outbox-dlq/events";

    private final HikariDataSource pool = new HikariDataSource(config());
    private final HttpClient http = HttpClient.newHttpClient();
    final Queue<EventEnvelope> delivered = new ConcurrentLinkedQueue<>();
    final JdbcOutbox jdbc;
    final Outbox outbox;
    final OutboxAdmin admin;
    private final OutboxAdminServer server;
    volatile String error = "boom";

    private AdminFixture(boolean deadLetters, UnaryOperator<OutboxAdmin.Builder> settings) {
        this(deadLetters, settings, null);
    }

    private AdminFixture(boolean deadLetters, UnaryOperator<OutboxAdmin.Builder> settings, Ordering ordering) {
        JdbcOutbox plain = JdbcOutbox.of(pool);
        this.jdbc = (deadLetters ? plain.withDeadLetters() : plain).createSchema();
        OutboxSeries series = OutboxSeries.around(MetricsExporter.NOOP);
        DefaultListenerRegistry listeners = new DefaultListenerRegistry()
                .register("Order", TYPE, event -> {
                    if (error != null) {
                        throw new UnrecoverableException(error);
                    }
                    delivered.add(event);
                    return DispatchResult.done();
                })
                .register("Order", LANE, event -> DispatchResult.done());
        Outbox.SingleNodeBuilder builder = Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(listeners)
                .lane(LANE, LanePolicy.builder().concurrency(2).build())
                .metrics(series)
                .startManually();
        if (ordering != null) {
            OutboxSchema.of(pool).createKeyedIfMissing();
            builder.ordering(ordering);
        }
        this.outbox = builder.build();
        this.admin = settings.apply(OutboxAdmin.of(outbox).series(series)).build();
        this.server = OutboxAdminServer.start(admin, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    static AdminFixture withDeadLetters() {
        return new AdminFixture(true, UnaryOperator.identity());
    }

    static AdminFixture withDeadLetters(UnaryOperator<OutboxAdmin.Builder> settings) {
        return new AdminFixture(true, settings);
    }

    static AdminFixture orderedByKey(UnaryOperator<OutboxAdmin.Builder> settings) {
        return new AdminFixture(false, settings, Ordering.byKey());
    }

    static AdminFixture withoutDeadLetters() {
        return new AdminFixture(false, UnaryOperator.identity());
    }

    private static HikariConfig config() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:admin_" + UUID.randomUUID().toString().replace("-", "") + ";DB_CLOSE_DELAY=-1");
        config.setMaximumPoolSize(8);
        return config;
    }

    /** Writes events without delivering them. */
    List<String> write(int count) {
        return write(TYPE, count, "acme");
    }

    List<String> write(String type, int count, String tenant) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(type)
                    .aggregateType("Order")
                    .aggregateId("order-" + i)
                    .tenantId(tenant)
                    .headers(Map.of("trace", "t-" + i))
                    .payloadJson("{\"n\":" + i + "}")
                    .build());
        }
        write(events);
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    void write(List<EventEnvelope> events) {
        try (Transaction tx = jdbc.begin()) {
            outbox.writer().writeAll(events);
            tx.commit();
        }
    }

    /** Writes events that are DEAD in the outbox, as those are which a schedule has not moved yet. */
    List<String> writeDeadInPlace(int count) throws SQLException {
        List<String> ids = write(count);
        try (Connection conn = pool.getConnection()) {
            JdbcTemplate.update(conn, "UPDATE outbox_event SET status = 3, attempts = 1, last_error = 'boom'");
        }
        return ids;
    }

    /** Writes events, and lets them die. */
    List<String> writeDead(int count) {
        List<String> ids = write(count);
        outbox.deliverDue();
        return ids;
    }

    /** The answer to a request. */
    record Answer(int status, HttpResponse<String> response) {

        JsonElement json() {
            return JsonParser.parseString(response.body());
        }

        JsonObject object() {
            return json().getAsJsonObject();
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse(null);
        }
    }

    Answer get(String path) {
        return send("GET", path, null);
    }

    Answer post(String path) {
        return send("POST", path, null);
    }

    Answer send(String method, String path, String body, String... headers) {
        HttpRequest.Builder request = request(path, headers);
        if (body != null) {
            request.header("Content-Type", "application/json");
        }
        request.method(
                method, body == null ? HttpRequest.BodyPublishers.noBody() : HttpRequest.BodyPublishers.ofString(body));
        HttpResponse<String> response = exchange(request, BodyHandlers.ofString());
        ApiDocument.requireDocumented(
                method,
                path,
                response.statusCode(),
                response.headers().firstValue("Content-Type").orElse(null),
                response.body());
        return new Answer(response.statusCode(), response);
    }

    /** Returns an answer whose body goes on. */
    HttpResponse<InputStream> stream(String path, String... headers) {
        return exchange(request(path, headers), BodyHandlers.ofInputStream());
    }

    private HttpRequest.Builder request(String path, String... headers) {
        URI uri = URI.create("http://localhost:" + server.address().getPort() + path);
        HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(Duration.ofSeconds(30));
        for (int i = 0; i < headers.length; i += 2) {
            request.setHeader(headers[i], headers[i + 1]);
        }
        return request;
    }

    private <T> HttpResponse<T> exchange(HttpRequest.Builder request, BodyHandler<T> handler) {
        try {
            return http.send(request.build(), handler);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    HikariDataSource pool() {
        return pool;
    }

    @Override
    public void close() {
        server.close();
        admin.close();
        outbox.close();
        pool.close();
    }
}
