package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.admin.AdminFixture.Answer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events that wait: retried now, cancelled, counted, found by their payload; and actions that take their time. */
class WaitingEventsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    private List<String> writeLater(int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(TYPE)
                    .aggregateType("Order")
                    .aggregateId("later-" + i)
                    .deliverAfter(Duration.ofHours(1))
                    .payloadJson("{\"Later\":" + i + "}")
                    .build());
        }
        fixture.write(events);
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    private String status(String id) {
        return fixture.get(BASE + "/events/" + id).object().get("status").getAsString();
    }

    private Answer act(String action, List<String> ids) {
        String list = ids.stream().map(id -> '"' + id + '"').collect(Collectors.joining(","));
        return fixture.send("POST", BASE + "/events/actions", "{\"action\":\"" + action + "\",\"ids\":[" + list + "]}");
    }

    private JsonObject bulk(String body) {
        return fixture.send("POST", BASE + "/bulk", body).object();
    }

    private JsonObject ended(JsonObject begun) {
        String path = BASE + "/bulk/" + begun.get("id").getAsString();
        await().atMost(PATIENCE)
                .until(() -> !fixture.get(path).object().get("finishedAt").isJsonNull());
        return fixture.get(path).object();
    }

    @Test
    void oneEventIsRetriedNowOrCancelledAndTheAuditLogSaysSo() {
        List<String> ids = writeLater(2);
        fixture.error = null;

        assertThat(fixture.send("POST", BASE + "/events/" + ids.get(0) + "/retry", null)
                        .status())
                .isEqualTo(204);
        assertThat(fixture.send("POST", BASE + "/events/" + ids.get(1) + "/cancel", null)
                        .status())
                .isEqualTo(204);

        assertThat(fixture.outbox.deliverDue()).isEqualTo(1);
        assertThat(status(ids.get(0))).isEqualTo("DONE");
        JsonObject cancelled = fixture.get(BASE + "/events/" + ids.get(1)).object();
        assertThat(cancelled.get("status").getAsString()).isEqualTo("MOVED");
        assertThat(cancelled.get("error").getAsString()).startsWith("Cancelled by ");
        assertThat(fixture.send("POST", BASE + "/events/" + ids.get(0) + "/cancel", null)
                        .object()
                        .get("type")
                        .getAsString())
                .isEqualTo("urn:outbox:problem:not-waiting");
        assertThat(fixture.get(BASE + "/audit").object().toString())
                .contains("\"retry\"", "\"cancel\"", "\"cancel-refused\"");
        fixture.outbox.deadEvents().replay(ids.get(1));
        assertThat(fixture.outbox.deliverDue()).isEqualTo(1);
    }

    @Test
    void chosenEventsAreChangedEachByItself() {
        List<String> waiting = writeLater(2);
        List<String> dead = fixture.writeDead(2);

        JsonObject answer = act("cancel", List.of(waiting.get(0), dead.get(0), waiting.get(1), "unknown"))
                .object();

        assertThat(answer.get("done").getAsInt()).isEqualTo(2);
        JsonArray skipped = answer.getAsJsonArray("skipped");
        assertThat(skipped.asList().stream()
                        .map(each -> each.getAsJsonObject().get("id").getAsString()))
                .containsExactlyInAnyOrder(dead.get(0), "unknown");
        assertThat(act("replay", List.of(dead.get(0), dead.get(1), "unknown"))
                        .object()
                        .get("done")
                        .getAsInt())
                .isEqualTo(2);
        assertThat(status(dead.get(1))).isEqualTo("NEW");
    }

    @Test
    void whatWaitsIsRetriedAndCancelledByAFilter() {
        List<String> ids = writeLater(3);
        fixture.error = null;
        String one = "\"filter\":{\"aggregateId\":\"later-1\",\"eventType\":\"" + TYPE + "\"}";

        assertThat(bulk("{\"action\":\"cancel\",\"dryRun\":true," + one + "}")
                        .get("matches")
                        .getAsInt())
                .isEqualTo(1);
        JsonObject cancelled = ended(bulk("{\"action\":\"cancel\"," + one + "}"));
        JsonObject retried = ended(bulk("{\"action\":\"retry\",\"filter\":{}}"));

        assertThat(cancelled.get("done").getAsInt()).isEqualTo(1);
        assertThat(retried.get("state").getAsString()).isEqualTo("DONE");
        assertThat(retried.get("done").getAsInt()).isEqualTo(2);
        assertThat(fixture.outbox.deliverDue()).isEqualTo(2);
        assertThat(status(ids.get(1))).isEqualTo("MOVED");
    }

    @Test
    void aSlowActionKeepsItsRateIsPausedResumedAndHoldsUpNoOther() {
        fixture.writeDead(30);
        JsonObject slow = bulk("{\"action\":\"replay\",\"filter\":{},\"perSecond\":10}");
        String path = BASE + "/bulk/" + slow.get("id").getAsString();
        assertThat(slow.get("perSecond").getAsInt()).isEqualTo(10);
        assertThat(ended(bulk("{\"action\":\"retry\",\"filter\":{\"eventType\":\"none\"}}"))
                        .get("state")
                        .getAsString())
                .as("another action meanwhile")
                .isEqualTo("DONE");

        JsonObject paused = fixture.send("POST", path + "/pause", null).object();
        assertThat(paused.get("state").getAsString()).isEqualTo("PAUSED");
        assertThat(paused.get("done").getAsInt()).isLessThan(30);
        await().during(Duration.ofMillis(500))
                .atMost(PATIENCE)
                .until(() ->
                        fixture.get(path).object().get("state").getAsString().equals("PAUSED"));

        long resumedAt = System.nanoTime();
        int left = 30 - fixture.get(path).object().get("done").getAsInt();
        fixture.send("POST", path + "/resume", null);
        JsonObject done = ended(slow);

        assertThat(done.get("state").getAsString()).isEqualTo("DONE");
        assertThat(done.get("done").getAsInt() + done.get("skipped").getAsInt()).isEqualTo(30);
        assertThat(Duration.ofNanos(System.nanoTime() - resumedAt))
                .as("time for " + left + " events at 10 in a second")
                .isGreaterThan(Duration.ofMillis(left / 10 * 1000L - 1_200));
        assertThat(fixture.send("POST", path + "/pause", null).status()).isEqualTo(409);
    }

    @Test
    void eventsAreCountedAndFoundByTheirPayload() {
        List<String> later = writeLater(12);
        fixture.writeDead(3);

        assertThat(fixture.get(BASE + "/count/events").object().toString())
                .isEqualTo("{\"matches\":12,\"exact\":true}");
        assertThat(fixture.get(BASE + "/count/events?status=NEW&aggregateId=later-3")
                        .object()
                        .get("matches")
                        .getAsInt())
                .isEqualTo(1);
        assertThat(fixture.get(BASE + "/count/dead-letters?status=MOVED")
                        .object()
                        .toString())
                .isEqualTo("{\"matches\":3,\"exact\":true}");
        JsonArray found =
                fixture.get(BASE + "/events?payload=later%22:11").object().getAsJsonArray("items");
        assertThat(found).hasSize(1);
        assertThat(found.get(0).getAsJsonObject().get("id").getAsString()).isEqualTo(later.get(11));
    }

    @Test
    void payloadsThatAMaskHidesAreNotSearchedFor() {
        try (AdminFixture masked = AdminFixture.withDeadLetters(builder -> builder.payloadMask(new PayloadMask() {}))) {
            for (String path : List.of("/events?payload=x", "/count/events?payload=x")) {
                assertThat(masked.get(BASE + path).object().get("type").getAsString())
                        .isEqualTo("urn:outbox:problem:masked");
            }
        }
    }
}
