package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.admin.AdminFixture.Answer;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.NodeLocks;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What operators see and do below the base path. */
class AdminApiTest {

    /** How many dead events of the outbox are read to find those that failed alike. */
    private static final int MOST_READ = 1_000;

    private AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void withoutDeadLetters() {
        fixture.close();
        fixture = AdminFixture.withoutDeadLetters();
    }

    private List<String> ids(String path) {
        List<String> ids = new ArrayList<>();
        String next = null;
        do {
            JsonObject page =
                    fixture.get(path + (next == null ? "" : "&after=" + next)).object();
            page.getAsJsonArray("items")
                    .forEach(item -> ids.add(item.getAsJsonObject().get("id").getAsString()));
            next = page.get("next").isJsonNull() ? null : page.get("next").getAsString();
        } while (next != null);
        return ids;
    }

    private static <T> List<T> reversed(List<T> list) {
        List<T> reversed = new ArrayList<>(list);
        Collections.reverse(reversed);
        return reversed;
    }

    @Test
    void listsAndSearchesEvents() {
        List<String> acme = fixture.write(AdminFixture.TYPE, 5, "acme");
        List<String> other = fixture.write("Shipped", 2, "other");

        assertThat(ids(BASE + "/events?limit=3")).isEqualTo(reversed(concat(acme, other)));
        assertThat(ids(BASE + "/events?tenantId=other")).isEqualTo(reversed(other));
        assertThat(ids(BASE + "/events?eventType=OrderPlaced&limit=2")).isEqualTo(reversed(acme));
        assertThat(ids(BASE + "/events?aggregateType=Order&aggregateId=order-3"))
                .containsExactly(acme.get(3));
        assertThat(ids(BASE + "/events?status=new&limit=4")).hasSize(7);
        assertThat(ids(BASE + "/events?status=DONE")).isEmpty();
        assertThat(ids(BASE + "/events?from=2100-01-01T00:00:00Z")).isEmpty();
        assertThat(ids(BASE + "/events?to=2100-01-01T00:00:00Z")).hasSize(7);
        assertThat(fixture.get(BASE + "/events?from=yesterday").status()).isEqualTo(400);
        assertThat(fixture.get(BASE + "/events?limit=201").status()).isEqualTo(400);
    }

    private static List<String> concat(List<String> one, List<String> other) {
        List<String> all = new ArrayList<>(one);
        all.addAll(other);
        return all;
    }

    @Test
    void searchesErrorsLiterally() {
        withoutDeadLetters();
        fixture.error = "100% of _them_ FAILED!";
        List<String> ids = fixture.writeDead(2);
        fixture.error = "other";
        fixture.writeDead(1);

        assertThat(ids(BASE + "/events?error=100%25%20of%20_them_%20failed!&status=DEAD"))
                .isEqualTo(reversed(ids));
        assertThat(ids(BASE + "/events?error=100__of")).isEmpty();
        assertThat(ids(BASE + "/events?error=';DROP%20TABLE%20outbox_event--")).isEmpty();
    }

    @Test
    void showsAnEventWhereverItIs() {
        String open = fixture.write("Shipped", 1, "acme").get(0);
        JsonObject event = fixture.get(BASE + "/events/" + open).object();
        assertThat(event.get("location").getAsString()).isEqualTo("outbox");
        assertThat(event.get("payload").getAsString()).isEqualTo("{\"n\":0}");
        assertThat(event.getAsJsonArray("history")).isEmpty();

        String dead = fixture.writeDead(1).get(0);
        JsonObject letter = fixture.get(BASE + "/events/" + dead).object();
        assertThat(letter.get("location").getAsString()).isEqualTo("dead-letters");
        JsonObject attempt = letter.getAsJsonArray("history").get(0).getAsJsonObject();
        assertThat(attempt.get("attempt").getAsInt()).isEqualTo(1);
        assertThat(attempt.get("error").getAsString()).contains("boom");
        assertThat(fixture.get(BASE + "/events/unknown").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theAttemptThatKillsIsShownInListPageAndHistory(boolean hasQueue) {
        if (!hasQueue) {
            withoutDeadLetters();
        }
        String id = fixture.writeDead(1).get(0);

        JsonObject listed = fixture.get(BASE + "/dead-letters")
                .object()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject();
        JsonObject event = fixture.get(BASE + "/events/" + id).object();
        JsonArray history = event.getAsJsonArray("history");

        assertThat(listed.get("attempts").getAsInt()).isEqualTo(1);
        assertThat(event.get("attempts").getAsInt()).isEqualTo(1);
        assertThat(history).hasSize(1);
        assertThat(history.get(0).getAsJsonObject().get("attempt").getAsInt()).isEqualTo(1);
        assertThat(history.get(0).getAsJsonObject().get("error").getAsString()).contains("boom", "\tat ");
    }

    @Test
    void pagesDeadLettersAndGroups() {
        fixture.error = "Timeout after 100 ms";
        List<String> slow = fixture.writeDead(3);
        fixture.error = "Timeout after 2000 ms";
        slow = concat(slow, fixture.writeDead(2));
        fixture.error = "no such customer";
        fixture.writeDead(1);

        JsonArray groups = fixture.get(BASE + "/groups").object().getAsJsonArray("items");
        assertThat(groups).hasSize(2);
        JsonObject largest = groups.get(0).getAsJsonObject();
        assertThat(largest.get("count").getAsInt()).isEqualTo(5);
        String fingerprint = largest.get("fingerprint").getAsString();
        assertThat(ids(BASE + "/dead-letters?limit=2&fingerprint=" + fingerprint))
                .isEqualTo(slow);
        List<String> oldestFirst = new ArrayList<>(ids(BASE + "/dead-letters?limit=2"));
        assertThat(oldestFirst).hasSize(6);
        Collections.reverse(oldestFirst);
        assertThat(ids(BASE + "/dead-letters?limit=2&order=newest")).isEqualTo(oldestFirst);
        assertThat(fixture.get(BASE + "/dead-letters?order=any").status()).isEqualTo(400);
        assertThat(fixture.get(BASE + "/dead-letters?after=rubbish").status()).isEqualTo(400);
    }

    @Test
    void searchesDeadLetters() {
        fixture.error = "100% of _them_ FAILED!";
        List<String> first = fixture.writeDead(3);
        fixture.error = "other";
        List<String> second = fixture.writeDead(2);
        fixture.post(BASE + "/events/" + first.get(0) + "/resolve");
        String path = BASE + "/dead-letters?limit=2";

        assertThat(ids(path + "&error=100%25%20of%20_them_%20failed!")).isEqualTo(first);
        assertThat(ids(path + "&error=failed&status=MOVED")).isEqualTo(first.subList(1, 3));
        assertThat(ids(path + "&error=100__of")).isEmpty();
        assertThat(ids(path + "&aggregateType=Order&aggregateId=order-1")).containsExactly(first.get(1), second.get(1));
        assertThat(ids(path + "&tenantId=acme")).isEqualTo(concat(first, second));
        assertThat(ids(path + "&tenantId=other")).isEmpty();
        assertThat(ids(path + "&from=2100-01-01T00:00:00Z")).isEmpty();
        assertThat(ids(path + "&to=2100-01-01T00:00:00Z&eventType=OrderPlaced")).hasSize(5);
        assertThat(fixture.get(path + "&to=tomorrow").status()).isEqualTo(400);
    }

    @Test
    void aDryRunLooksAtSoManyLettersOnly() throws Exception {
        try (var conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(conn, """
                    INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      last_error, fingerprint, moved_at, updated_at)
                    SELECT LPAD(x, 26, '0'), 'OrderPlaced', '{}', 0, 1, NOW(), DATEADD(SECOND, x, NOW()), 'boom',
                      CASE WHEN x <= 10 THEN 'g' ELSE 'f' END, NOW(), NOW()
                    FROM SYSTEM_RANGE(1, 20001)""");
        }

        assertThat(dryRun("\"error\":\"xyz\"")).isEqualTo("0 or more");
        assertThat(dryRun("\"error\":\"boom\"")).isEqualTo("20000 or more");
        assertThat(dryRun("\"eventType\":\"OrderPlaced\",\"fingerprint\":\"f\""))
                .isEqualTo("19991");
        assertThat(dryRun("\"eventType\":\"OrderPlaced\"")).isEqualTo("20000 or more");
    }

    private String dryRun(String filter) {
        JsonObject answer = fixture.send(
                        "POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":true,\"filter\":{" + filter + "}}")
                .object();
        return answer.get("matches") + (answer.get("exact").getAsBoolean() ? "" : " or more");
    }

    @Test
    void actsOnSingleEvents() {
        List<String> ids = fixture.writeDead(3);

        assertThat(fixture.post(BASE + "/events/" + ids.get(0) + "/replay").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(1) + "/resolve").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(2) + "/delete").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(2) + "/replay").status())
                .isEqualTo(404);
        assertThat(fixture.post(BASE + "/events/" + ids.get(1) + "/replay").status())
                .isEqualTo(409);

        assertThat(ids(BASE + "/events?limit=10")).containsExactly(ids.get(0));
        assertThat(ids(BASE + "/dead-letters?limit=10")).containsExactly(ids.get(1));
        List<String> actions = new ArrayList<>();
        JsonArray audit = fixture.get(BASE + "/audit").object().getAsJsonArray("items");
        audit.forEach(entry -> actions.add(entry.getAsJsonObject().get("action").getAsString() + " "
                + entry.getAsJsonObject().get("target").getAsString()));
        assertThat(actions)
                .containsExactly(
                        "replay-refused " + ids.get(1),
                        "replay " + ids.get(1),
                        "replay-refused " + ids.get(2),
                        "replay " + ids.get(2),
                        "delete " + ids.get(2),
                        "resolve " + ids.get(1),
                        "replay " + ids.get(0));
        assertThat(audit.get(0).getAsJsonObject().get("who").getAsString()).isEqualTo("loopback");
        assertThat(ids(BASE + "/audit?limit=2")).hasSize(7).doesNotHaveDuplicates();
        assertThat(ids(BASE + "/audit?limit=2&event=" + ids.get(1))).hasSize(3);
        assertThat(ids(BASE + "/audit?action=replay&event=" + ids.get(2))).hasSize(2);
        assertThat(ids(BASE + "/audit?who=Loopback&action=delete")).hasSize(1);
        assertThat(ids(BASE + "/audit?who=ann")).isEmpty();
        assertThat(ids(BASE + "/audit?from=2100-01-01T00:00:00Z")).isEmpty();
        assertThat(ids(BASE + "/audit?to=2020-01-01T00:00:00Z")).isEmpty();
    }

    @Test
    void actsOnDeadEventsWithoutDeadLetters() {
        withoutDeadLetters();
        List<String> ids = fixture.writeDead(3);

        assertThat(fixture.post(BASE + "/events/" + ids.get(0) + "/replay").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(0) + "/replay").status())
                .isEqualTo(404);
        Answer resolved = fixture.post(BASE + "/events/" + ids.get(1) + "/resolve");
        assertThat(resolved.status()).isEqualTo(409);
        assertThat(resolved.object().get("detail").getAsString()).contains("outbox.publisher.dlq.enabled");
        assertThat(fixture.post(BASE + "/events/" + ids.get(2) + "/delete").status())
                .isEqualTo(204);

        assertThat(ids(BASE + "/events?status=NEW")).containsExactly(ids.get(0));
        assertThat(ids(BASE + "/events?status=DEAD")).containsExactly(ids.get(1));
        assertThat(ids(BASE + "/dead-letters?status=MOVED")).containsExactly(ids.get(1));
        assertThat(ids(BASE + "/dead-letters?status=RESOLVED")).isEmpty();
        assertThat(fixture.get(AdminFixture.DLQ).status()).isEqualTo(404);
        assertThat(fixture.get(BASE + "/overview").object().get("deadLetters").isJsonNull())
                .isTrue();
    }

    @Test
    void editsAndReplays() {
        String id = fixture.writeDead(1).get(0);

        Answer answer = fixture.send("POST", BASE + "/events/" + id + "/edit", "{\"payload\":\"{\\\"n\\\":42}\"}");

        assertThat(answer.status()).isEqualTo(201);
        String created = answer.object().get("id").getAsString();
        fixture.error = null;
        fixture.outbox.deliverDue();
        assertThat(fixture.delivered).hasSize(1);
        assertThat(fixture.delivered.peek().eventId()).isEqualTo(created);
        assertThat(fixture.delivered.peek().payloadJson()).isEqualTo("{\"n\":42}");
        assertThat(fixture.delivered.peek().aggregateId()).isEqualTo("order-0");
        assertThat(fixture.delivered.peek().headers())
                .containsEntry("trace", "t-0")
                .containsEntry("outbox_edited_from", id);
        JsonObject original = fixture.get(BASE + "/events/" + id).object();
        assertThat(original.get("status").getAsString()).isEqualTo("RESOLVED");
        assertThat(original.get("payload").getAsString()).isEqualTo("{\"n\":0}");
        assertThat(fixture.send("POST", BASE + "/events/" + id + "/edit", "{\"payload\":\"{}\"}")
                        .status())
                .isEqualTo(409);
        assertThat(fixture.send("POST", BASE + "/events/" + id + "/edit", "{}").status())
                .isEqualTo(400);
    }

    private Answer edit(String id) {
        return fixture.send("POST", BASE + "/events/" + id + "/edit", "{\"payload\":\"{\\\"n\\\":42}\"}");
    }

    @Test
    void anEditedEventKeepsItsKeyItsOriginAndTheKindOfItsId() {
        String id = "0190163d-8694-739b-aea5-966c26f8ad91";
        EventEnvelope event = EventEnvelope.builder(AdminFixture.TYPE)
                .aggregateType("Order")
                .aggregateId("order-7")
                .key("customer-7")
                .eventId(id)
                .originId("0190163d-8694-739b-aea5-966c26f8ad90")
                .payloadJson("{}")
                .build();
        fixture.write(List.of(event));
        fixture.outbox.deliverDue();

        String created = edit(id).object().get("id").getAsString();

        fixture.error = null;
        fixture.outbox.deliverDue();
        EventEnvelope delivered = fixture.delivered.remove();
        assertThat(delivered.eventId()).isEqualTo(created).isNotEqualTo(id);
        assertThat(UUID.fromString(created).version()).isEqualTo(7);
        assertThat(delivered.key()).isEqualTo("customer-7");
        assertThat(delivered.originId()).isEqualTo(event.originId());
        assertThat(delivered.payloadJson()).isEqualTo("{\"n\":42}");
    }

    @Test
    void whatIsNoTextIsNotEdited() {
        List<EventEnvelope> events = List.of(
                EventEnvelope.builder(AdminFixture.TYPE)
                        .aggregateType("Order")
                        .payloadBytes(new byte[] {1, 2})
                        .build(),
                EventEnvelope.builder(AdminFixture.TYPE)
                        .aggregateType("Order")
                        .tombstone()
                        .build());
        fixture.write(events);
        fixture.outbox.deliverDue();

        for (EventEnvelope event : events) {
            Answer answer = edit(event.eventId());

            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.object().get("type").getAsString()).endsWith(":not-text");
        }
        assertThat(ids(BASE + "/dead-letters?status=MOVED")).hasSize(2);
        assertThat(ids(BASE + "/events?limit=10")).isEmpty();
    }

    @Test
    void anEditedEventOfAnOutboxWithoutDeadLettersIsDoneAndStaysReadable() {
        withoutDeadLetters();
        String id = fixture.writeDead(1).get(0);

        Answer answer = edit(id);

        assertThat(answer.status()).isEqualTo(201);
        String created = answer.object().get("id").getAsString();
        JsonObject original = fixture.get(BASE + "/events/" + id).object();
        assertThat(original.get("status").getAsString()).isEqualTo("DONE");
        assertThat(original.get("payload").getAsString()).isEqualTo("{\"n\":0}");
        assertThat(original.get("error").getAsString()).contains("written again as " + created, "boom");
        assertThat(edit(id).status()).isEqualTo(404);
        fixture.error = null;
        fixture.outbox.deliverDue();
        assertThat(fixture.delivered).extracting(EventEnvelope::eventId).containsExactly(created);
    }

    @Test
    void actsOnDeadEventsThatAScheduleHasNotMovedYet() throws Exception {
        List<String> ids = fixture.writeDeadInPlace(4);

        assertThat(fixture.get(AdminFixture.DLQ + "/" + ids.get(0)).status()).isEqualTo(404);
        assertThat(fixture.send("DELETE", AdminFixture.DLQ + "/" + ids.get(0), null)
                        .status())
                .isEqualTo(404);
        assertThat(fixture.post(BASE + "/events/" + ids.get(0) + "/replay").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(1) + "/resolve").status())
                .isEqualTo(204);
        assertThat(fixture.post(BASE + "/events/" + ids.get(2) + "/delete").status())
                .isEqualTo(204);
        String created = edit(ids.get(3)).object().get("id").getAsString();

        assertThat(ids(BASE + "/events?status=NEW")).containsExactly(created, ids.get(0));
        assertThat(ids(BASE + "/dead-letters?status=RESOLVED")).containsExactly(ids.get(1), ids.get(3));
        assertThat(fixture.get(BASE + "/events/" + ids.get(2)).status()).isEqualTo(404);
    }

    @Test
    void pausesAndResumes() {
        fixture.outbox.start();

        assertThat(fixture.post(BASE + "/delivery/pause").status()).isEqualTo(204);
        assertThat(fixture.get(BASE + "/overview").object().get("state").getAsString())
                .isEqualTo("PAUSED");
        assertThat(fixture.post(BASE + "/delivery/resume").status()).isEqualTo(204);
        assertThat(fixture.post(BASE + "/types/Shipped/pause").status()).isEqualTo(204);
        assertThat(fixture.post(BASE + "/types/OrderPlaced/pause").status()).isEqualTo(404);
        String id = fixture.write("Shipped", 1, "acme").get(0);
        JsonObject type = fixture.get(BASE + "/types")
                .object()
                .getAsJsonArray("items")
                .get(1)
                .getAsJsonObject();
        assertThat(type.get("eventType").getAsString()).isEqualTo("Shipped");
        assertThat(type.get("paused").getAsBoolean()).isTrue();
        assertThat(type.getAsJsonObject("lane").get("concurrency").getAsInt()).isEqualTo(2);
        assertThat(type.getAsJsonObject("retries").get("maxAttempts").getAsInt())
                .isEqualTo(10);
        assertThat(type.getAsJsonObject("retries").get("delays").getAsString())
                .isEqualTo("about 200 ms, doubled each time, up to 60 s");
        assertThat(fixture.post(BASE + "/delivery/resume").status()).isEqualTo(204);
        assertThat(fixture.get(BASE + "/events/" + id).object().get("status").getAsString())
                .isEqualTo("NEW");

        assertThat(fixture.post(BASE + "/types/Shipped/resume").status()).isEqualTo(204);

        await().atMost(Duration.ofSeconds(30))
                .until(() -> fixture.get(BASE + "/events/" + id)
                        .object()
                        .get("status")
                        .getAsString()
                        .equals("DONE"));
    }

    @Test
    void bulkActionsCountFirstAndReportTheirProgress() {
        fixture.error = "Timeout after 1 ms";
        fixture.writeDead(130);
        fixture.error = "other";
        fixture.writeDead(2);
        String filter = "\"filter\":{\"error\":\"timeout\",\"tenantId\":\"acme\"}";

        JsonObject dryRun = fixture.send(
                        "POST", BASE + "/bulk", "{\"action\":\"replay\",\"dryRun\":true," + filter + "}")
                .object();
        assertThat(dryRun.get("matches").getAsInt()).isEqualTo(130);
        assertThat(dryRun.get("exact").getAsBoolean()).isTrue();
        assertThat(ids(BASE + "/events?limit=10")).isEmpty();

        Answer begun = fixture.send("POST", BASE + "/bulk", "{\"action\":\"replay\"," + filter + "}");
        assertThat(begun.status()).isEqualTo(202);
        String job = begun.object().get("id").getAsString();
        await().atMost(Duration.ofSeconds(30))
                .until(() -> fixture.get(BASE + "/bulk/" + job)
                        .object()
                        .get("state")
                        .getAsString()
                        .equals("DONE"));
        JsonObject done = fixture.get(BASE + "/bulk/" + job).object();
        assertThat(done.get("done").getAsInt()).isEqualTo(130);
        assertThat(done.get("skipped").getAsInt()).isZero();
        assertThat(done.get("finishedAt").isJsonNull()).isFalse();
        assertThat(ids(BASE + "/events?limit=100")).hasSize(130);
        assertThat(ids(BASE + "/dead-letters?limit=100")).hasSize(2);
        assertThat(fixture.get(BASE + "/bulk").object().getAsJsonArray("items")).hasSize(1);
        assertThat(fixture.send("DELETE", BASE + "/bulk/" + job, null).status()).isEqualTo(202);
        assertThat(fixture.get(BASE + "/bulk/unknown").status()).isEqualTo(404);
    }

    @Test
    void aGroupIsResolvedAsAWhole() {
        fixture.writeDead(3);
        String fingerprint = fixture.get(BASE + "/groups")
                .object()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject()
                .get("fingerprint")
                .getAsString();

        fixture.send(
                "POST",
                BASE + "/bulk",
                "{\"action\":\"resolve\",\"filter\":{\"eventType\":\"OrderPlaced\",\"fingerprint\":\"" + fingerprint
                        + "\"}}");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> fixture.get(BASE + "/groups")
                        .object()
                        .getAsJsonArray("items")
                        .isEmpty());
        assertThat(ids(BASE + "/dead-letters?status=RESOLVED")).hasSize(3);
    }

    @Test
    void bulkActionsWorkOnDeadEventsWithoutDeadLetters() {
        withoutDeadLetters();
        fixture.writeDead(3);

        fixture.send(
                "POST",
                BASE + "/bulk",
                "{\"action\":\"delete\",\"dryRun\":false,\"filter\":{\"eventType\":\"OrderPlaced\"}}");

        await().atMost(Duration.ofSeconds(30))
                .until(() -> ids(BASE + "/events?limit=10").isEmpty());
        assertThat(fixture.send("POST", BASE + "/bulk", "{\"action\":\"resolve\",\"filter\":{}}")
                        .status())
                .isEqualTo(409);
    }

    @Test
    void groupsDeadEventsWithoutDeadLetters() {
        withoutDeadLetters();
        fixture.error = "no stock of 17";
        fixture.writeDead(2);
        fixture.error = "no stock of 4";
        List<String> second = fixture.writeDead(1);
        fixture.error = "refused";
        List<String> other = fixture.writeDead(2);

        JsonArray groups = fixture.get(BASE + "/groups").object().getAsJsonArray("items");
        assertThat(groups).hasSize(2);
        JsonObject largest = groups.get(0).getAsJsonObject();
        assertThat(largest.get("count").getAsInt()).isEqualTo(3);
        assertThat(largest.get("exact").getAsBoolean()).isTrue();
        assertThat(largest.get("eventType").getAsString()).isEqualTo("OrderPlaced");
        assertThat(largest.get("error").getAsString()).contains("no stock of 4");
        assertThat(largest.get("lastSeen").getAsString())
                .isEqualTo(fixture.get(BASE + "/events/" + second.get(0))
                        .object()
                        .get("createdAt")
                        .getAsString());
        assertThat(fixture.get(BASE + "/groups?limit=1").object().getAsJsonArray("items"))
                .hasSize(1);

        String ofGroup = "status=DEAD&fingerprint=" + largest.get("fingerprint").getAsString();
        assertThat(ids(BASE + "/events?limit=2&" + ofGroup)).hasSize(3).doesNotContainAnyElementsOf(other);
        assertThat(fixture.get(BASE + "/events?limit=2&" + ofGroup).object().getAsJsonArray("items"))
                .hasSize(2);

        String filter = "\"filter\":{\"eventType\":\"OrderPlaced\",\"fingerprint\":\""
                + largest.get("fingerprint").getAsString() + "\"}";
        JsonObject dryRun = fixture.send(
                        "POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":true," + filter + "}")
                .object();
        assertThat(dryRun.get("matches").getAsInt()).isEqualTo(3);
        assertThat(dryRun.get("exact").getAsBoolean()).isTrue();
        fixture.send("POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":false," + filter + "}");

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(
                        () -> assertThat(ids(BASE + "/events?status=DEAD")).containsExactlyInAnyOrderElementsOf(other));
    }

    @Test
    void groupsOfManyDeadEventsAreThoseOfTheLatest() throws SQLException {
        withoutDeadLetters();
        fixture.writeDeadInPlace(MOST_READ + 1);

        JsonObject group = fixture.get(BASE + "/groups")
                .object()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject();

        assertThat(group.get("count").getAsInt()).isEqualTo(MOST_READ);
        assertThat(group.get("exact").getAsBoolean()).isFalse();
        String filter =
                "\"filter\":{\"fingerprint\":\"" + group.get("fingerprint").getAsString() + "\"}";
        JsonObject dryRun = fixture.send(
                        "POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":true," + filter + "}")
                .object();
        assertThat(dryRun.get("exact").getAsBoolean()).isFalse();
        fixture.send("POST", BASE + "/bulk", "{\"action\":\"delete\",\"dryRun\":false," + filter + "}");
        await().atMost(Duration.ofSeconds(60))
                .until(() -> ids(BASE + "/events?status=DEAD&limit=1").isEmpty());
    }

    @Test
    void refusesAFilterThatItDoesNotKnow() {
        for (String body : List.of(
                "{\"action\":\"delete\",\"filter\":{\"typ\":\"x\"}}",
                "{\"action\":\"delete\",\"filter\":{\"eventType\":null,\"fingerprint\":\"f\"}}",
                "{\"action\":\"delete\"}",
                "{\"action\":\"explode\",\"filter\":{}}",
                "{\"filter\":{}}")) {
            assertThat(fixture.send("POST", BASE + "/bulk", body).status())
                    .as(body)
                    .isEqualTo(400);
        }
    }

    @Test
    void showsFigures() {
        fixture.writeDead(2);
        fixture.write("Shipped", 3, "acme");

        JsonObject overview = fixture.get(BASE + "/overview").object();
        assertThat(overview.getAsJsonObject("counts").get("NEW").getAsInt()).isEqualTo(3);
        assertThat(overview.getAsJsonObject("deadLetters").get("MOVED").getAsInt())
                .isEqualTo(2);
        assertThat(overview.getAsJsonArray("pending")).hasSize(1);
        assertThat(overview.get("pendingExact").getAsBoolean()).isTrue();
        assertThat(fixture.get(BASE + "/types").object().get("exact").getAsBoolean())
                .isTrue();
        assertThat(overview.get("lagMs").getAsLong()).isNotNegative();
        JsonObject node = fixture.get(BASE + "/nodes")
                .object()
                .getAsJsonArray("items")
                .get(0)
                .getAsJsonObject();
        assertThat(node.get("answers").getAsBoolean()).isTrue();
        assertThat(node.get("holds").isJsonNull()).isTrue();
        assertThat(node.get("node")).isEqualTo(overview.get("node"));
        assertThat(fixture.get(BASE + "/series?minutes=10081").status()).isEqualTo(400);
    }

    @Test
    void releasesALock() throws Exception {
        String id = fixture.write("Shipped", 1, "acme").get(0);
        try (var conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(
                    conn, "UPDATE outbox_event SET locked_by = 'gone', locked_at = TIMESTAMP '2025-01-01 00:00:00'");
        }
        JsonObject node = fixture.get(BASE + "/nodes")
                .object()
                .getAsJsonArray("items")
                .get(1)
                .getAsJsonObject();
        assertThat(node.get("node").getAsString()).isEqualTo("gone");
        assertThat(node.get("state").getAsString()).isEqualTo("UNKNOWN");
        JsonObject holds = node.getAsJsonObject("holds");
        assertThat(holds.get("oldestLock").getAsString()).isEqualTo("2025-01-01T00:00:00Z");
        assertThat(holds.get("expiresAt").isJsonNull()).as("one node alone").isTrue();

        assertThat(fixture.post(BASE + "/events/" + id + "/release").status()).isEqualTo(204);

        assertThat(fixture.get(BASE + "/events/" + id).object().get("lockedBy").isJsonNull())
                .isTrue();
        assertThat(fixture.post(BASE + "/events/unknown/release").status()).isEqualTo(404);
    }

    @Test
    void aLockExpiresByTheTimeOutOfTheNodeThatAnswers() {
        Instant oldest = Instant.parse("2025-01-01T00:00:00Z");
        NodeLocks locks = new NodeLocks("gone", 2, oldest, oldest.plusSeconds(9));

        try (Outbox node = Outbox.multiNode()
                .backend(fixture.jdbc.backend())
                .listenerRegistry(new DefaultListenerRegistry())
                .claimLocking(Duration.ofMinutes(5))
                .maxAttempts(3)
                .startManually()
                .build()) {
            assertThat(node.sharedLane().orElseThrow().maxAttempts()).isEqualTo(3);
            assertThat(Views.NodeHolds.of(locks, node.lockTimeout().orElseThrow())
                            .expiresAt())
                    .isEqualTo(oldest.plusSeconds(300));
        }
    }

    @Test
    void masksPayloads() {
        fixture.close();
        fixture = AdminFixture.withDeadLetters(builder -> builder.payloadMask(new PayloadMask() {
            @Override
            public String payload(OutboxEvent event, String payload) {
                return payload.replaceAll("\\d", "*");
            }
        }));
        String id = fixture.writeDead(1).get(0);

        assertThat(fixture.get(BASE + "/events/" + id).object().get("payload").getAsString())
                .isEqualTo("{\"n\":*}");
        assertThat(fixture.get(AdminFixture.DLQ + "/" + id)
                        .object()
                        .get("payload")
                        .getAsString())
                .isEqualTo("{\"n\":*}");
    }

    @Test
    void aMaskHidesWhatErrorsQuote() {
        fixture.close();
        fixture = AdminFixture.withDeadLetters(builder -> builder.payloadMask(new PayloadMask() {}));
        fixture.error = "Cannot parse {\"iban\":\"DE89370400440532013000\"}";
        String id = fixture.writeDead(1).get(0);

        for (String path : List.of(
                BASE + "/events/" + id,
                BASE + "/dead-letters",
                BASE + "/groups",
                AdminFixture.DLQ,
                AdminFixture.DLQ + "/" + id)) {
            assertThat(fixture.get(path).response().body())
                    .as(path)
                    .doesNotContain("DE8937")
                    .contains("UnrecoverableException: …");
        }
        for (String path : List.of("/events", "/dead-letters")) {
            Answer refused = fixture.get(BASE + path + "?error=DE8937");
            assertThat(refused.status()).as(path).isEqualTo(400);
            assertThat(refused.object().get("type").getAsString()).endsWith("masked");
        }
        assertThat(fixture.send(
                                "POST",
                                BASE + "/bulk",
                                "{\"action\":\"replay\",\"dryRun\":true,\"filter\":{\"error\":\"DE8937\"}}")
                        .status())
                .isEqualTo(400);
    }

    @Test
    void aMaskMayShowPartsOfErrors() {
        fixture.close();
        fixture = AdminFixture.withDeadLetters(builder -> builder.payloadMask(new PayloadMask() {
            @Override
            public String error(String eventType, String error) {
                return eventType + " " + error.replaceAll("\\d", "*");
            }
        }));
        fixture.error = "card 4111 declined";
        String id = fixture.writeDead(1).get(0);

        assertThat(fixture.get(BASE + "/events/" + id).response().body())
                .contains(TYPE + " io.outbox.UnrecoverableException: card **** declined")
                .doesNotContain("4111");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"action\":\"resolve\",\"dry_run\":true,\"filter\":{}}",
                "{\"action\":\"resolve\",\"dryrun\":true,\"filter\":{}}",
                "{\"action\":\"resolve\",\"filter\":{\"type\":\"x\"}}",
                "{\"action\":\"delete\",\"filter\":{}}"
            })
    void aDryRunThatIsMisspeltChangesNothing(String body) {
        String id = fixture.writeDead(1).get(0);
        Answer refused = fixture.send("POST", BASE + "/bulk", body);
        assertThat(refused.status()).isEqualTo(400);
        assertThat(refused.object().getAsJsonArray("fields")).hasSize(1);
        assertThat(fixture.get(AdminFixture.DLQ + "/" + id)
                        .object()
                        .get("status")
                        .getAsString())
                .isEqualTo("MOVED");
        assertThat(fixture.get(BASE + "/bulk").object().getAsJsonArray("items")).isEmpty();
    }

    @Test
    void namesThatMeanNothingAreRefused() {
        String id = fixture.writeDead(1).get(0);
        assertThat(fixture.get(BASE + "/events?eventtype=nope").status()).isEqualTo(400);
        assertThat(fixture.get(BASE + "/events?eventtype=nope")
                        .object()
                        .getAsJsonArray("fields")
                        .get(0)
                        .getAsJsonObject()
                        .get("field")
                        .getAsString())
                .isEqualTo("eventtype");
        assertThat(fixture.get(AdminFixture.DLQ + "?batch_size=10").status()).isEqualTo(400);
        String change = "{\"ids\":[\"" + id + "\"],\"status\":\"RESOLVED\",\"dryRun\":true}";
        assertThat(fixture.send("PATCH", AdminFixture.DLQ, change).status()).isEqualTo(400);
        assertThat(fixture.send("DELETE", AdminFixture.DLQ, "{\"ids\":[\"" + id + "\"],\"dryRun\":true}")
                        .status())
                .isEqualTo(400);
        assertThat(fixture.send("POST", BASE + "/events/" + id + "/resolve", "{\"dryRun\":true}")
                        .status())
                .isEqualTo(400);
        assertThat(fixture.send("POST", BASE + "/events/" + id + "/resolve?dryRun=true", null)
                        .status())
                .isEqualTo(400);
        assertThat(fixture.get(AdminFixture.DLQ + "/" + id)
                        .object()
                        .get("status")
                        .getAsString())
                .isEqualTo("MOVED");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a/b", "..", "a\\b", "50%", "a;b", "a~2Fb", "ü+?#", "~"})
    void everyIdCanBeAskedForWithTildes(String id) {
        fixture.write(List.of(EventEnvelope.builder(TYPE)
                .eventId(id)
                .aggregateType("Order")
                .payloadJson("{}")
                .build()));
        String encoded = URLEncoder.encode(id, StandardCharsets.UTF_8)
                .replace("+", "%20")
                .replace(".", "%2E")
                .replace("~", "%7E")
                .replace("%", "~");
        assertThat(fixture.get(BASE + "/events/" + encoded).object().get("id").getAsString())
                .isEqualTo(id);
    }

    @Test
    void hostileTextStaysText() {
        fixture.error = "<script>alert(1)</script>\u2028\"'\\ \u0000";
        String id = fixture.writeDead(1).get(0);

        Answer answer = fixture.get(BASE + "/events/" + id);

        assertThat(answer.response().body()).doesNotContain("<script>").doesNotContain("\u2028");
        assertThat(answer.object().get("error").getAsString()).contains("<script>alert(1)</script>");
    }
}
