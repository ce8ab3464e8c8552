package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.DLQ;
import static java.net.http.HttpRequest.BodyPublishers.noBody;
import static java.net.http.HttpRequest.BodyPublishers.ofString;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What every call of the administration takes over HTTP, on a connection that is kept, with a million events and a
 * million dead letters on PostgreSQL.
 */
@Tag("soak")
class MillionTest {

    private static final double MOST_MILLIS = 100;
    private static final int WARM_UPS = 5;
    private static final int CALLS = 15;

    /** The state that the events of the outbox are in. */
    enum Events {
        /** One of 500 waits, the others are done. */
        DELIVERED("CASE WHEN n % 500 = 1 THEN 0 ELSE 1 END", "CASE WHEN n % 500 <> 1 THEN {then} END", "NULL"),
        WAITING("0", "NULL", "NULL"),
        /** 50,000 of them, long ago. */
        DIED(
                "CASE WHEN n <= 50000 THEN 3 ELSE 1 END",
                "CASE WHEN n > 50000 THEN {then} END",
                "CASE WHEN n <= 50000 THEN 'java.lang.IllegalStateException: no stock of ' || n || REPEAT(' at Stock', 100) END");

        private final String insert;

        Events(String status, String doneAt, String error) {
            this.insert = """
                    INSERT INTO outbox_event (event_id, event_type, aggregate_id, tenant_id, payload, status, attempts,
                      available_at, created_at, done_at, last_error)
                    SELECT LPAD(n::text, 26, '0'), 'Type' || (n % 20), 'a-' || (n % 100000), 'tenant-' || (n % 1000),
                      REPEAT('x', 300), {status}, 0, {then}, {then}, {done_at}, {error}
                    FROM generate_series(1, 1000000) n""".replace("{status}", status)
                    .replace("{done_at}", doneAt)
                    .replace("{error}", error)
                    .replace("{then}", THEN);
        }
    }

    private static final String THEN = "TIMESTAMP '2026-01-01 00:00:00' + n * interval '1 ms'";

    private static final String LETTERS = """
            INSERT INTO outbox_dlq_event (event_id, event_type, aggregate_id, tenant_id, payload, status, attempts,
              available_at, created_at, last_error, fingerprint, first_failed_at, last_failed_at, moved_at, updated_at)
            SELECT '1' || LPAD(n::text, 25, '0'), 'Type' || (n % 20), 'a-' || (n % 100000), 'tenant-' || (n % 1000),
              REPEAT('x', 300), CASE WHEN n % 4 = 0 THEN 3 ELSE 0 END, 3, {then}, {then}, 'boom ' || n,
              LPAD((n % 50)::text, 16, '0'), {then}, {then}, {then}, {then}
            FROM generate_series(1, 1000000) n""".replace("{then}", THEN);

    private static final String AUDITS = """
            INSERT INTO outbox_event_audit (audit_id, done_at, done_by, action, target)
            SELECT LPAD(TO_HEX(n), 16, '0') || '-node', {then}, 'ann', 'replay', LPAD(n::text, 26, '0')
            FROM generate_series(1, 100000) n""".replace("{then}", THEN);

    private static final String FROM_TO = "from=2026-01-01T00:05:00Z&to=2026-01-01T00:06:00Z";

    private static final List<String> PAGES = List.of(
            "/events",
            "/events?after=00000000000000000000500000",
            "/events?status=NEW",
            "/events?status=RETRY",
            "/events?status=DONE",
            "/events?status=DEAD",
            "/events?eventType=Type7",
            "/events?eventType=None",
            "/events?aggregateId=a-7",
            "/events?tenantId=tenant-7",
            "/events?" + FROM_TO,
            "/events?error=boom",
            "/events?status=NEW&error=boom",
            "/events/00000000000000000000500000",
            "/events/10000000000000000000500000",
            "/dead-letters",
            "/dead-letters?after={next}",
            "/dead-letters?status=MOVED",
            "/dead-letters?status=TO_RETRY",
            "/dead-letters?status=MOVED&eventType=Type7",
            "/dead-letters?status=MOVED&eventType=None",
            "/dead-letters?status=MOVED&eventType=Type7&fingerprint=0000000000000007",
            "/dead-letters?status=MOVED&fingerprint=0000000000000007",
            "/dead-letters?aggregateId=a-7",
            "/dead-letters?tenantId=tenant-7",
            "/dead-letters?" + FROM_TO,
            "/dead-letters?error=boom",
            "/dead-letters?error=none",
            "/groups?limit=100",
            "/overview",
            "/types",
            "/nodes",
            "/series?minutes=360",
            "/audit",
            "/audit?event=00000000000000000000500000",
            "/audit?who=nobody",
            "/session");

    private static final List<String> LETTER_CALLS = List.of(
            "?batchNumber=0&batchSize=100",
            "?batchNumber={last}&batchSize=100",
            "?status=MOVED&batchNumber={last}&batchSize=100",
            "/10000000000000000000500000",
            "/count",
            "/count?status=MOVED",
            "/count?status=TO_RETRY");

    private static final List<String> FILTERS = List.of(
            "",
            "'error':'none'",
            "'tenantId':'tenant-7'",
            "'eventType':'Type7'",
            "'eventType':'Type7','fingerprint':'0000000000000007'",
            "'from':'2026-01-01T00:05:00Z','to':'2026-01-01T00:06:00Z'");

    /** What is asked of an outbox without dead letters. */
    private static final List<Call> OF_DEAD_EVENTS = List.of(
            new Call("GET", BASE + "/groups?limit=100", ""),
            new Call("GET", BASE + "/events?status=DEAD", ""),
            new Call("GET", BASE + "/overview", ""),
            dryRun(""),
            dryRun("'eventType':'Type7','fingerprint':'0000000000000007'"));

    @Test
    void everyCallTakesLessThanATenthOfASecond() throws SQLException {
        Map<Events, Map<String, Double>> medians = new EnumMap<>(Events.class);
        try (HikariDataSource pool = pool()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            try (Outbox outbox = outbox(jdbc)) {
                outbox.inspection().orElseThrow().prepareAudit();
            }
            fill(pool, LETTERS, AUDITS);
            for (Events events : List.of(Events.DELIVERED, Events.WAITING)) {
                fill(pool, "TRUNCATE outbox_event", events.insert);
                medians.put(events, measure(jdbc, server -> calls(server.next())));
                print("a million dead letters, a million events (" + events + ")", medians.get(events));
            }
        }
        assertThat(medians.values()).allSatisfy(MillionTest::requireQuick);
    }

    @Test
    void soDoesEachAboutDeadEventsWithoutDeadLetters() throws SQLException {
        Map<String, Double> medians;
        try (HikariDataSource pool = pool()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            fill(pool, Events.DIED.insert);
            medians = measure(jdbc, server -> OF_DEAD_EVENTS.stream());
        }
        print("a million events (" + Events.DIED + ")", medians);
        requireQuick(medians);
    }

    private static Map<String, Double> measure(JdbcOutbox jdbc, Function<Asked, Stream<Call>> calls) {
        Map<String, Double> medians = new LinkedHashMap<>();
        try (Outbox outbox = outbox(jdbc);
                OutboxAdmin admin = OutboxAdmin.of(outbox).build();
                OutboxAdminServer server =
                        OutboxAdminServer.start(admin, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Asked asked = new Asked(HttpClient.newHttpClient(), server.address().getPort());
            calls.apply(asked).forEach(call -> medians.put(call.toString(), asked.medianMillis(call)));
        }
        return medians;
    }

    private static void print(String what, Map<String, Double> medians) {
        System.out.printf("%n%d calls each over HTTP, %s%n", CALLS, what);
        System.out.printf("%9s  call%n", "median");
        medians.forEach((call, millis) -> System.out.printf(Locale.ROOT, "%6.1f ms  %s%n", millis, call));
    }

    private static void requireQuick(Map<String, Double> medians) {
        assertThat(medians).allSatisfy((call, millis) -> assertThat(millis).isLessThan(MOST_MILLIS));
    }

    /** A server that is asked on one connection. */
    private record Asked(HttpClient http, int port) {

        double medianMillis(Call call) {
            double[] millis = IntStream.range(0, WARM_UPS + CALLS)
                    .mapToDouble(i -> millis(call))
                    .skip(WARM_UPS)
                    .sorted()
                    .toArray();
            return millis[CALLS / 2];
        }

        private double millis(Call call) {
            long begin = System.nanoTime();
            answer(call);
            return (System.nanoTime() - begin) / 1e6;
        }

        private String answer(Call call) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + call.path))
                    .header("Content-Type", "application/json")
                    .method(call.method, call.body.isEmpty() ? noBody() : ofString(call.body))
                    .build();
            try {
                HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
                assertThat(response.statusCode()).as(call.toString()).isEqualTo(200);
                return response.body();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Returns where the second page of letters begins. */
        String next() {
            return JsonParser.parseString(answer(new Call("GET", BASE + "/dead-letters", "")))
                    .getAsJsonObject()
                    .get("next")
                    .getAsString();
        }
    }

    private record Call(String method, String path, String body) {

        @Override
        public String toString() {
            return method + " " + path + " " + body;
        }
    }

    private static Stream<Call> calls(String next) {
        String last = String.valueOf(DlqApi.MOST_LISTED / 100);
        return Stream.of(
                        PAGES.stream().map(path -> new Call("GET", BASE + path.replace("{next}", next), "")),
                        LETTER_CALLS.stream().map(path -> new Call("GET", DLQ + path.replace("{last}", last), "")),
                        FILTERS.stream().map(MillionTest::dryRun))
                .flatMap(calls -> calls);
    }

    private static Call dryRun(String filter) {
        String body = "{'action':'replay','dryRun':true,'filter':{" + filter + "}}";
        return new Call("POST", BASE + "/bulk", body.replace('\'', '"'));
    }

    private static HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(PostgresServer.shared().newDatabase());
        return new HikariDataSource(config);
    }

    private static void fill(HikariDataSource pool, String... inserts) throws SQLException {
        try (Connection conn = pool.getConnection()) {
            for (String insert : inserts) {
                JdbcTemplate.update(conn, insert);
            }
            JdbcTemplate.update(conn, "VACUUM ANALYZE");
            JdbcTemplate.update(conn, "CHECKPOINT");
        }
    }

    private static Outbox outbox(JdbcOutbox jdbc) {
        return Outbox.singleNode()
                .backend(jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry())
                .startManually()
                .build();
    }
}
