package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.DLQ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.admin.AdminFixture.Answer;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each call with what it refuses, and that no call is forgotten. */
class EveryCallTest {

    private static final String UNKNOWN = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    private static final String SETTLE = "{\"status\":\"RESOLVED\"}";

    /**
     * What only the dashboard asks for is tested with it, and what needs order by key in {@link BlockedKeysApiTest}.
     */
    private static final Set<String> TESTED_ELSEWHERE = Set.of(
            "GET " + BASE + "/session",
            "GET " + BASE + "/live",
            "GET " + BASE + "/blocked-keys",
            "POST " + BASE + "/blocked-keys/resume",
            "POST " + BASE + "/blocked-keys/skip");

    /** Times that are none to one database or another. */
    private static final List<String> EXTREME_YEARS = List.of("-1000000000", "-0001", "0000", "+10000", "+1000000000");

    private final AdminFixture fixture = AdminFixture.withDeadLetters();
    private final Set<String> called = new TreeSet<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Sends a request, and checks that an error is told as a problem with all that belongs to it. */
    private void expect(int status, String method, String path, String body) {
        Answer answer = fixture.send(method, path, body);
        assertThat(answer.status()).as(method + " " + path + " " + body).isEqualTo(status);
        if (status >= 400) {
            assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
            assertThat(answer.object().keySet()).contains("type", "title", "status", "detail", "instance");
            assertThat(answer.object().get("status").getAsInt()).isEqualTo(status);
            assertThat(answer.object().get("instance").getAsString()).isEqualTo(path.replaceFirst("\\?.*", ""));
        }
        List<String> segments =
                List.of(path.replaceFirst("\\?.*", "").substring(1).split("/"));
        fixture.admin.calls().stream()
                .filter(route -> route.method().equals(method) && route.match(segments) != null)
                .findFirst()
                .ifPresent(route -> called.add(method + " " + route.pattern() + (status < 400 ? " done" : " refused")));
    }

    private void expect(int status, String method, String path) {
        expect(status, method, path, null);
    }

    @Test
    void everyCallIsAnsweredAndEveryFaultIsTold() {
        fixture.outbox.start();
        List<String> ids = List.copyOf(dead(30));
        lettersOverHttp(ids);
        events(ids);
        actions(ids);
        bulk();
        figures();

        Set<String> all = fixture.admin.calls().stream()
                .map(route -> route.method() + " " + route.pattern())
                .filter(call -> !TESTED_ELSEWHERE.contains(call))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(called.stream().filter(call -> call.endsWith(" done")).map(EveryCallTest::withoutResult))
                .as("answered")
                .containsExactlyInAnyOrderElementsOf(all);
        all.removeAll(called.stream()
                .filter(call -> call.endsWith(" refused"))
                .map(EveryCallTest::withoutResult)
                .toList());
        assertThat(all)
                .as("calls that take nothing which could be wrong")
                .containsExactlyInAnyOrder(
                        "GET " + BASE + "/bulk",
                        "GET " + BASE + "/nodes",
                        "GET " + BASE + "/openapi.json",
                        "GET " + BASE + "/overview",
                        "GET " + BASE + "/types");
    }

    private List<String> dead(int count) {
        List<String> ids = fixture.write(count);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> fixture.get(DLQ + "/count?status=MOVED")
                                .object()
                                .get("count")
                                .getAsInt()
                        >= count);
        return ids;
    }

    private static String withoutResult(String call) {
        return call.substring(0, call.lastIndexOf(' '));
    }

    private void lettersOverHttp(List<String> ids) {
        expect(200, "GET", DLQ + "?status=moved&batchNumber=0&batchSize=10");
        expect(400, "GET", DLQ + "?batchSize=9");
        expect(400, "GET", DLQ + "?status=DONE");
        expect(200, "GET", DLQ + "/count?status=MOVED");
        expect(400, "GET", DLQ + "/count?status=unheard-of");
        expect(200, "GET", DLQ + "/" + ids.get(0));
        expect(404, "GET", DLQ + "/" + UNKNOWN);
        expect(400, "GET", DLQ + "/no-id");

        expect(400, "PATCH", DLQ + "/" + ids.get(0), "{\"status\":\"IN_PROCESS\"}");
        expect(400, "PATCH", DLQ + "/" + ids.get(0), "{}");
        expect(400, "PATCH", DLQ + "/" + ids.get(0), "{");
        expect(409, "PATCH", DLQ + "/" + ids.get(0), "{\"status\":\"MOVED\"}");
        expect(404, "PATCH", DLQ + "/" + UNKNOWN, SETTLE);
        expect(415, "PATCH", DLQ + "/" + ids.get(0), null);
        expect(204, "PATCH", DLQ + "/" + ids.get(0), SETTLE);
        expect(409, "PATCH", DLQ + "/" + ids.get(0), "{\"status\":\"TO_RETRY\"}");

        expect(400, "PATCH", DLQ, "{\"ids\":[],\"status\":\"RESOLVED\"}");
        expect(400, "PATCH", DLQ, "{\"ids\":[1],\"status\":\"RESOLVED\"}");
        expect(404, "PATCH", DLQ, "{\"ids\":[\"" + UNKNOWN + "\"],\"status\":\"RESOLVED\"}");
        expect(409, "PATCH", DLQ, "{\"ids\":[\"" + ids.get(0) + "\"],\"status\":\"TO_RETRY\"}");
        expect(204, "PATCH", DLQ, "{\"ids\":[\"" + ids.get(1) + "\"],\"status\":\"RESOLVED\"}");

        expect(404, "DELETE", DLQ + "/" + UNKNOWN);
        expect(400, "DELETE", DLQ + "/no-id");
        expect(204, "DELETE", DLQ + "/" + ids.get(0));
        expect(400, "DELETE", DLQ, "{\"ids\":\"all\"}");
        expect(404, "DELETE", DLQ, "{\"ids\":[\"" + ids.get(0) + "\"]}");
        expect(204, "DELETE", DLQ, "{\"ids\":[\"" + ids.get(1) + "\"]}");
    }

    private void events(List<String> ids) {
        expect(200, "GET", BASE + "/events?limit=1");
        for (String wrong : List.of("limit=0", "status=MOVED", "from=x", "to=x", "error=%00", "limit=1&limit=2")) {
            expect(400, "GET", BASE + "/events?" + wrong);
        }
        for (String year : EXTREME_YEARS) {
            String time = year.replace("+", "%2B") + "-01-01T00:00:00Z";
            expect(400, "GET", BASE + "/events?from=" + time);
            expect(400, "GET", BASE + "/events?to=" + time);
            expect(400, "GET", BASE + "/dead-letters?after=" + time + "~x");
        }
        expect(200, "GET", BASE + "/events?from=1970-01-01T00:00:00Z&to=9999-12-31T23:59:59Z");
        expect(200, "GET", BASE + "/events/" + ids.get(2));
        expect(404, "GET", BASE + "/events/unknown");
        expect(400, "GET", BASE + "/events/" + "x".repeat(37));
        expect(200, "GET", BASE + "/dead-letters?status=MOVED");
        expect(400, "GET", BASE + "/dead-letters?status=NEW");
        expect(400, "GET", BASE + "/dead-letters?after=x");
        for (String kind : List.of("events", "dead-letters")) {
            expect(200, "GET", BASE + "/count/" + kind + "?eventType=x");
            expect(400, "GET", BASE + "/count/" + kind + "?limit=1");
        }
        expect(200, "GET", BASE + "/events?payload=%25");
        expect(200, "GET", BASE + "/groups");
        expect(400, "GET", BASE + "/groups?limit=201");
    }

    private void actions(List<String> ids) {
        for (String action : List.of("replay", "resolve", "delete", "release", "retry", "cancel")) {
            expect(404, "POST", BASE + "/events/unknown/" + action);
            expect(400, "POST", BASE + "/events/" + "x".repeat(37) + "/" + action);
            expect(405, "PUT", BASE + "/events/unknown/" + action);
        }
        expect(204, "POST", BASE + "/events/" + ids.get(2) + "/resolve");
        expect(409, "POST", BASE + "/events/" + ids.get(2) + "/replay");
        expect(204, "POST", BASE + "/events/" + ids.get(2) + "/delete");
        String edit = BASE + "/events/" + ids.get(3) + "/edit";
        expect(415, "POST", edit);
        expect(400, "POST", edit, "{}");
        expect(400, "POST", edit, "{\"payload\":1}");
        expect(400, "POST", edit, "{\"payload\":\"" + "x".repeat(1_048_577) + "\"}");
        expect(413, "POST", edit, "{\"payload\":\"" + "x".repeat(AdminRequest.MAX_BODY_BYTES) + "\"}");
        expect(404, "POST", BASE + "/events/unknown/edit", "{\"payload\":\"{}\"}");
        expect(201, "POST", edit, "{\"payload\":\"{}\"}");
        expect(409, "POST", edit, "{\"payload\":\"{}\"}");

        expect(204, "POST", BASE + "/delivery/pause");
        expect(204, "POST", BASE + "/events/" + ids.get(4) + "/replay");
        expect(204, "POST", BASE + "/events/" + ids.get(4) + "/release");
        expect(204, "POST", BASE + "/events/" + ids.get(4) + "/retry");
        expect(204, "POST", BASE + "/events/" + ids.get(4) + "/cancel");
        expect(409, "POST", BASE + "/events/" + ids.get(4) + "/retry");
        String chosen = BASE + "/events/actions";
        expect(400, "POST", chosen, "{\"action\":\"replay\",\"ids\":[]}");
        expect(400, "POST", chosen, "{\"action\":\"replay\",\"ids\":[\"" + "x".repeat(37) + "\"]}");
        expect(400, "POST", chosen, "{\"action\":\"release\",\"ids\":[\"x\"]}");
        expect(200, "POST", chosen, "{\"action\":\"replay\",\"ids\":[\"" + ids.get(4) + "\",\"unknown\"]}");
        for (String action : List.of("pause", "resume")) {
            expect(204, "POST", BASE + "/types/" + AdminFixture.LANE + "/" + action);
            expect(404, "POST", BASE + "/types/" + AdminFixture.TYPE + "/" + action);
        }
        expect(204, "POST", BASE + "/delivery/resume");
        expect(405, "GET", BASE + "/delivery/resume");
        String node = BASE + "/nodes/"
                + fixture.get(BASE + "/session").object().get("node").getAsString();
        for (String action : List.of("pause", "resume")) {
            expect(204, "POST", node + "/delivery/" + action);
            expect(204, "POST", node + "/types/" + AdminFixture.LANE + "/" + action);
            expect(404, "POST", node + "/types/" + AdminFixture.TYPE + "/" + action);
            expect(404, "POST", BASE + "/nodes/unknown/delivery/" + action);
        }
    }

    private void bulk() {
        expect(200, "GET", BASE + "/bulk");
        expect(200, "POST", BASE + "/bulk", "{\"action\":\"replay\",\"filter\":{},\"dryRun\":true}");
        expect(400, "POST", BASE + "/bulk", "{\"action\":\"replay\",\"filter\":{\"from\":\"x\"}}");
        expect(400, "POST", BASE + "/bulk", "{\"action\":\"replay\",\"filter\":{},\"dryRun\":\"true\"}");
        expect(400, "POST", BASE + "/bulk", "[]");
        expect(415, "POST", BASE + "/bulk");
        expect(400, "POST", BASE + "/bulk", "{\"action\":\"retry\",\"filter\":{},\"perSecond\":0}");
        expect(400, "POST", BASE + "/bulk", "{\"action\":\"retry\",\"filter\":{},\"perSecond\":1.5}");
        Answer slow = fixture.send("POST", BASE + "/bulk", "{\"action\":\"replay\",\"filter\":{},\"perSecond\":1}");
        String slowPath = BASE + "/bulk/" + slow.object().get("id").getAsString();
        for (String action : List.of("pause", "resume")) {
            expect(202, "POST", slowPath + "/" + action);
            expect(404, "POST", BASE + "/bulk/unknown/" + action);
        }
        expect(202, "DELETE", slowPath);
        Answer job = fixture.send("POST", BASE + "/bulk", "{\"action\":\"resolve\",\"filter\":{}}");
        String path = BASE + "/bulk/" + job.object().get("id").getAsString();
        expect(200, "GET", path);
        expect(202, "DELETE", path);
        expect(404, "GET", BASE + "/bulk/unknown");
        expect(404, "DELETE", BASE + "/bulk/unknown");
    }

    private void figures() {
        expect(200, "GET", BASE + "/overview");
        expect(200, "GET", BASE + "/series?minutes=1");
        expect(200, "GET", BASE + "/series?minutes=10080&node=x&eventType=" + AdminFixture.TYPE);
        expect(400, "GET", BASE + "/series?minutes=0");
        expect(200, "GET", BASE + "/nodes");
        expect(200, "GET", BASE + "/types");
        expect(200, "GET", BASE + "/audit?limit=1");
        expect(400, "GET", BASE + "/audit?limit=0");
        expect(200, "GET", BASE + "/openapi.json");
        fixture.outbox.close();
        for (String action : List.of("pause", "resume")) {
            expect(409, "POST", BASE + "/delivery/" + action);
            expect(409, "POST", BASE + "/types/" + AdminFixture.LANE + "/" + action);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\\u0000", "\\n", "\\ud800"})
    void aFilterTakesNoTextThatDatabasesRefuse(String text) {
        assertThatFiltersRefuse("x" + text);
    }

    @Test
    void aFilterTakesNoTextThatIsTooLong() {
        assertThatFiltersRefuse("x".repeat(257));
        expect(200, "POST", BASE + "/bulk", dryRun("error", "x".repeat(256)));
    }

    @Test
    void aFilterTakesNoTimeThatDatabasesRefuse() {
        for (String year : EXTREME_YEARS) {
            assertThatFilterRefuses("from", year + "-01-01T00:00:00Z");
            assertThatFilterRefuses("to", year + "-01-01T00:00:00Z");
        }
    }

    private void assertThatFiltersRefuse(String value) {
        for (String field : List.of("eventType", "fingerprint", "aggregateType", "aggregateId", "tenantId", "error")) {
            assertThatFilterRefuses(field, value);
        }
    }

    private void assertThatFilterRefuses(String field, String value) {
        expect(400, "POST", BASE + "/bulk", dryRun(field, value));
        assertThat(fixture.send("POST", BASE + "/bulk", dryRun(field, value))
                        .object()
                        .getAsJsonArray("fields")
                        .get(0)
                        .getAsJsonObject()
                        .get("field")
                        .getAsString())
                .isEqualTo("filter." + field);
    }

    private static String dryRun(String field, String value) {
        return "{\"action\":\"replay\",\"dryRun\":true,\"filter\":{\"" + field + "\":\"" + value + "\"}}";
    }

    @Test
    void whatCannotBeWrittenToTheAuditLogIsNotDone() throws Exception {
        String id = fixture.writeDead(1).get(0);
        try (Connection conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(conn, "DROP TABLE outbox_event_audit");
        }

        expect(503, "POST", BASE + "/events/" + id + "/replay");
        expect(503, "PATCH", DLQ + "/" + id, SETTLE);
        expect(503, "DELETE", DLQ + "/" + id);
        expect(503, "POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":false,\"filter\":{}}");

        assertThat(fixture.get(DLQ + "/" + id).object().get("status").getAsString())
                .isEqualTo("MOVED");
        assertThat(fixture.get(BASE + "/bulk").object().getAsJsonArray("items")).isEmpty();
    }
}
