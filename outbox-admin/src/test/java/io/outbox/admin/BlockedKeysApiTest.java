package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.admin.AdminFixture.Answer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Keys that are blocked: listed, resumed and skipped. Every answer is compared with {@code openapi.json}. */
class BlockedKeysApiTest {

    private static final String KEYS = BASE + "/blocked-keys";

    private AdminFixture fixture = AdminFixture.orderedByKey(UnaryOperator.identity());

    @AfterEach
    void close() {
        fixture.close();
    }

    private void reopen(UnaryOperator<OutboxAdmin.Builder> settings) {
        fixture.close();
        fixture = AdminFixture.orderedByKey(settings);
    }

    private List<String> writeOfOneKey(String key, int count) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(EventEnvelope.builder(AdminFixture.TYPE)
                    .aggregateType("Order")
                    .aggregateId(key)
                    .payloadJson("{}")
                    .build());
        }
        fixture.write(events);
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    private Answer act(String action, String key, String eventId, String more) {
        return fixture.send(
                "POST", KEYS + "/" + action, "{\"key\":\"" + key + "\",\"eventId\":\"" + eventId + "\"" + more + "}");
    }

    private JsonArray items(String query) {
        return fixture.get(KEYS + query).object().getAsJsonArray("items");
    }

    private static String text(JsonElement item, String name) {
        return item.getAsJsonObject().get(name).getAsString();
    }

    @Test
    void aBlockedKeyIsListedWithItsEventAndWhatWaits() {
        List<String> events = writeOfOneKey("one", 3);
        fixture.outbox.deliverDue();

        JsonObject page = fixture.get(KEYS).object();

        assertThat(page.get("keys").getAsInt()).isEqualTo(1);
        assertThat(page.get("waiting").getAsInt()).isEqualTo(2);
        JsonObject item = page.getAsJsonArray("items").get(0).getAsJsonObject();
        assertThat(text(item, "key")).isEqualTo("Order/one#");
        assertThat(text(item, "eventId")).isEqualTo(events.get(0));
        assertThat(text(item, "error")).contains("boom");
        assertThat(item.get("since").isJsonNull()).isFalse();
        assertThat(item.get("waiting").getAsInt()).isEqualTo(2);
        assertThat(fixture.get(BASE + "/session").object().get("orderedByKey").getAsBoolean())
                .isTrue();
    }

    @Test
    void aResumedKeyGoesOnWithTheSameEvent() {
        List<String> events = writeOfOneKey("one", 2);
        fixture.outbox.deliverDue();
        fixture.error = null;

        assertThat(act("resume", "Order/one#", events.get(0), "").status()).isEqualTo(204);

        fixture.outbox.deliverDue();
        assertThat(fixture.delivered).extracting(EventEnvelope::eventId).isEqualTo(events);
        assertThat(items("")).isEmpty();
        assertThat(audit()).containsExactly("resume-key " + events.get(0));
    }

    @Test
    void aSkippedEventIsDeadWithItsCauseAndTheKeyGoesOn() {
        List<String> events = writeOfOneKey("one", 2);
        fixture.outbox.deliverDue();
        fixture.error = null;

        assertThat(act("skip", "Order/one#", events.get(0), ",\"reason\":\"of no use\"")
                        .status())
                .isEqualTo(204);

        fixture.outbox.deliverDue();
        assertThat(fixture.delivered).extracting(EventEnvelope::eventId).containsExactly(events.get(1));
        JsonObject dead = fixture.get(BASE + "/events/" + events.get(0)).object();
        assertThat(text(dead, "status")).isEqualTo("DEAD");
        assertThat(text(dead, "error"))
                .startsWith("Skipped by ")
                .contains("of no use")
                .contains("boom");
        assertThat(audit()).containsExactly("skip-key " + events.get(0));
    }

    private List<String> audit() {
        List<String> entries = new ArrayList<>();
        fixture.get(BASE + "/audit")
                .object()
                .getAsJsonArray("items")
                .forEach(entry -> entries.add(text(entry, "action") + " " + text(entry, "target")));
        return entries;
    }

    @Test
    void onlyTheEventThatTheOperatorSawIsChanged() {
        List<String> events = writeOfOneKey("one", 2);
        fixture.outbox.deliverDue();

        assertThat(act("skip", "Order/one#", events.get(1), "").status()).isEqualTo(409);
        assertThat(act("resume", "Order/two#", events.get(0), "").status()).isEqualTo(409);

        assertThat(items("")).hasSize(1);
        assertThat(audit()).filteredOn(entry -> entry.contains("-refused")).hasSize(2);
    }

    @Test
    void keysComeAPageAtATimeInBothOrders() {
        List<String> keys = List.of("a", "b", "c", "d", "e");
        for (String key : keys) {
            writeOfOneKey(key, 1);
            fixture.outbox.deliverDue();
        }

        for (String order : List.of("oldest", "NEWEST")) {
            List<String> walked = new ArrayList<>();
            String next = "";
            while (next != null) {
                JsonObject page =
                        fixture.get(KEYS + "?limit=2&order=" + order + next).object();
                page.getAsJsonArray("items").forEach(item -> walked.add(text(item, "key")));
                next = page.get("next").isJsonNull() ? null : "&after=" + text(page, "next");
            }
            assertThat(walked).hasSize(5).doesNotHaveDuplicates();
            assertThat(walked.get(0)).isEqualTo(order.equals("oldest") ? "Order/a#" : "Order/e#");
        }
    }

    @Test
    void whatIsWrongIsToldByName() {
        assertThat(fixture.get(KEYS + "?order=sideways").status()).isEqualTo(400);
        assertThat(fixture.get(KEYS + "?limit=0").status()).isEqualTo(400);
        for (String place : List.of("nonsense", "1~2", "x~y~z", "18446744073709551615~1~a", "-1~1~a")) {
            assertThat(fixture.get(KEYS + "?after=" + place).status()).as(place).isEqualTo(400);
        }
        assertThat(fixture.send("POST", KEYS + "/resume", "{\"key\":\"k\"}").status())
                .isEqualTo(400);
        assertThat(fixture.send("POST", KEYS + "/skip", "{\"key\":\" \",\"eventId\":\"e\"}")
                        .status())
                .isEqualTo(400);
        assertThat(act("skip", "k", "e", ",\"reason\":7").status()).isEqualTo(400);
        assertThat(act("skip", "k", "e", ",\"why\":\"?\"").status()).isEqualTo(400);
        assertThat(fixture.post(KEYS + "/resume").status()).isEqualTo(415);
    }

    @Test
    void whoMayOnlyLookChangesNothing() {
        reopen(admin -> admin.readToken("read-token-1234567890").operateToken("operate-token-12345678"));

        Answer refused = fixture.send(
                "POST",
                KEYS + "/resume",
                "{\"key\":\"k\",\"eventId\":\"e\"}",
                "Authorization",
                "Bearer read-token-1234567890");

        assertThat(refused.status()).isEqualTo(403);
        assertThat(fixture.send("GET", KEYS, null, "Authorization", "Bearer read-token-1234567890")
                        .status())
                .isEqualTo(200);
        assertThat(fixture.get(KEYS).status()).isEqualTo(401);
    }

    @Test
    void errorsAreMaskedAsElsewhere() {
        reopen(admin -> admin.payloadMask(new PayloadMask() {}));
        fixture.error = "card 4711";
        writeOfOneKey("one", 1);
        fixture.outbox.deliverDue();

        assertThat(text(items("").get(0), "error")).doesNotContain("4711");
    }

    @Test
    void anOutboxWithoutOrderHasNoSuchKeys() {
        try (AdminFixture plain = AdminFixture.withDeadLetters()) {
            assertThat(plain.get(BASE + "/session").object().get("orderedByKey").getAsBoolean())
                    .isFalse();
            assertThat(plain.get(KEYS).status()).isEqualTo(404);
            assertThat(plain.send("POST", KEYS + "/resume", "{\"key\":\"k\",\"eventId\":\"e\"}")
                            .status())
                    .isEqualTo(404);
        }
    }
}
