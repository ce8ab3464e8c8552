package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.DLQ;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.PostgresServer;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every call of the administration takes with a million events and a million dead letters on PostgreSQL. */
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
            "/audit");

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

    private final Map<String, Double> medians = new LinkedHashMap<>();

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "DIED")
    void everyCallTakesLessThanATenthOfASecond(Events events) throws SQLException {
        try (HikariDataSource pool = pool()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            fill(pool, events.insert, LETTERS);
            measure(jdbc, admin -> calls(next(admin)));
        }
        report("a million dead letters, a million events (" + events + ")");
    }

    @Test
    void soDoesEachAboutDeadEventsWithoutDeadLetters() throws SQLException {
        try (HikariDataSource pool = pool()) {
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            fill(pool, Events.DIED.insert);
            measure(jdbc, admin -> OF_DEAD_EVENTS.stream());
        }
        report("a million events (" + Events.DIED + ")");
    }

    private void measure(JdbcOutbox jdbc, Function<OutboxAdmin, Stream<Call>> calls) {
        try (Outbox outbox = outbox(jdbc);
                OutboxAdmin admin = OutboxAdmin.of(outbox).build()) {
            calls.apply(admin).forEach(call -> medians.put(call.toString(), medianMillis(admin, call)));
        }
    }

    private void report(String what) {
        System.out.printf("%n%d calls each, %s%n", CALLS, what);
        System.out.printf("%9s  call%n", "median");
        medians.forEach((call, millis) -> System.out.printf(Locale.ROOT, "%6.1f ms  %s%n", millis, call));
        assertThat(medians).allSatisfy((call, millis) -> assertThat(millis).isLessThan(MOST_MILLIS));
    }

    private record Call(String method, String path, String body) {

        AdminRequest request() {
            String[] parts = path.split("\\?", 2);
            return new AdminRequest(
                    AdminRequest.Target.of(method, parts[0], parts.length == 1 ? null : parts[1]),
                    Map.of("Host", "localhost", "Content-Type", "application/json"),
                    body.getBytes(StandardCharsets.UTF_8),
                    InetAddress.getLoopbackAddress(),
                    null);
        }

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

    /** Returns where the second page of letters begins. */
    private static String next(OutboxAdmin admin) {
        AdminResponse first = admin.handle(new Call("GET", BASE + "/dead-letters", "").request());
        return JsonParser.parseString(new String(first.bytes(), StandardCharsets.UTF_8))
                .getAsJsonObject()
                .get("next")
                .getAsString();
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

    private static double medianMillis(OutboxAdmin admin, Call call) {
        double[] millis = IntStream.range(0, WARM_UPS + CALLS)
                .mapToDouble(i -> millis(admin, call))
                .skip(WARM_UPS)
                .sorted()
                .toArray();
        return millis[CALLS / 2];
    }

    private static double millis(OutboxAdmin admin, Call call) {
        AdminRequest request = call.request();
        long begin = System.nanoTime();
        AdminResponse response = admin.handle(request);
        response.bytes();
        double millis = (System.nanoTime() - begin) / 1e6;
        assertThat(response.status()).as(call.toString()).isEqualTo(200);
        return millis;
    }
}
