package io.outbox.admin;

import static io.outbox.admin.AdminFixture.DLQ;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.admin.AdminFixture.Answer;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Dead letters at {@code /api/outbox-dlq/events}. */
class DlqApiTest {

    private static final String UNKNOWN = "01890a5d-ac96-774b-bcce-b302099a8057";

    private final AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    private static String ids(List<String> ids) {
        return ids.stream().map(id -> '"' + id + '"').collect(Collectors.joining(",", "[", "]"));
    }

    private String status(String id) {
        return fixture.get(DLQ + "/" + id).object().get("status").getAsString();
    }

    @Test
    void showsALetter() {
        String id = fixture.writeDead(1).get(0);

        Answer answer = fixture.get(DLQ + "/" + id);

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
        JsonObject letter = answer.object();
        assertThat(letter.get("id").getAsString()).isEqualTo(id);
        assertThat(letter.get("status").getAsString()).isEqualTo("MOVED");
        assertThat(letter.get("eventType").getAsString()).isEqualTo(AdminFixture.TYPE);
        assertThat(letter.get("payload").getAsString()).isEqualTo("{\"n\":0}");
        assertThat(letter.getAsJsonObject("headers").get("trace").getAsString()).isEqualTo("t-0");
        assertThat(letter.get("error").getAsString()).contains("boom");
        assertThat(letter.get("movedAt").getAsString()).endsWith("Z");
        assertThat(letter.get("updatedBy").isJsonNull()).isTrue();
    }

    @Test
    void listsByBatchNumber() {
        List<String> ids = fixture.writeDead(23);

        assertThat(listed("?batchSize=10")).isEqualTo(ids.subList(0, 10));
        assertThat(listed("?batchSize=10&batchNumber=2&status=moved")).isEqualTo(ids.subList(20, 23));
        assertThat(listed("?status=ReSoLvEd")).isEmpty();
        assertThat(listed("")).hasSize(23);
        assertThat(fixture.get(DLQ + "/count?status=MOVED")
                        .object()
                        .get("count")
                        .getAsInt())
                .isEqualTo(23);
        assertThat(fixture.get(DLQ + "/count?status=to_retry")
                        .object()
                        .get("count")
                        .getAsInt())
                .isZero();
        assertThat(fixture.get(DLQ + "/count").object().get("count").getAsInt()).isEqualTo(23);
    }

    @Test
    void countsSayWhenTheyHaveStopped() throws SQLException {
        fixture.writeDead(1);
        assertThat(fixture.get(DLQ + "/count?status=MOVED").object().toString()).isEqualTo("{\"count\":1}");
        try (Connection conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(conn, """
                    INSERT INTO outbox_dlq_event (event_id, event_type, payload, status, attempts, available_at, created_at,
                      fingerprint, moved_at, updated_at)
                    SELECT LPAD(x, 26, '0'), 'Type', '{}', 0, 0, NOW(), NOW(), 'f', NOW(), NOW()
                    FROM SYSTEM_RANGE(1, 20000)""");
        }

        JsonObject moved = fixture.get(DLQ + "/count?status=MOVED").object();

        assertThat(moved.get("count").getAsInt()).isEqualTo(20_000);
        assertThat(moved.get("exact").getAsBoolean()).isFalse();
        assertThat(fixture.get(DLQ + "/count").object()).isEqualTo(moved);
        assertThat(fixture.get(DLQ + "/count?status=RESOLVED").object().toString())
                .isEqualTo("{\"count\":0}");
    }

    private List<String> listed(String query) {
        return fixture.get(DLQ + query).json().getAsJsonArray().asList().stream()
                .map(each -> each.getAsJsonObject().get("id").getAsString())
                .toList();
    }

    @Test
    void anApprovedEventIsDelivered() {
        String id = fixture.writeDead(1).get(0);

        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"to_retry\"}")
                        .status())
                .isEqualTo(204);

        fixture.error = null;
        fixture.outbox.deliverDue();
        assertThat(fixture.delivered).extracting(event -> event.eventId()).containsExactly(id);
        assertThat(fixture.get(DLQ + "/" + id).status()).isEqualTo(404);
    }

    @Test
    void changesACollectionOrNothingOfIt() {
        List<String> ids = fixture.writeDead(3);

        Answer missing = fixture.send(
                "PATCH", DLQ, "{\"ids\":" + ids(List.of(ids.get(0), UNKNOWN)) + ",\"status\":\"RESOLVED\"}");
        assertThat(missing.status()).isEqualTo(404);
        assertThat(missing.object().getAsJsonArray("missing").asList())
                .extracting(each -> each.getAsString())
                .containsExactly(UNKNOWN);
        assertThat(status(ids.get(0))).isEqualTo("MOVED");

        assertThat(fixture.send("PATCH", DLQ, "{\"ids\":" + ids(ids.subList(0, 2)) + ",\"status\":\"RESOLVED\"}")
                        .status())
                .isEqualTo(204);
        assertThat(status(ids.get(1))).isEqualTo("RESOLVED");
        assertThat(fixture.get(DLQ + "/" + ids.get(1)).object().get("updatedBy").getAsString())
                .isEqualTo("loopback");

        Answer illegal = fixture.send("PATCH", DLQ, "{\"ids\":" + ids(ids) + ",\"status\":\"TO_RETRY\"}");
        assertThat(illegal.status()).isEqualTo(409);
        assertThat(illegal.object().getAsJsonObject("states").keySet())
                .containsExactlyInAnyOrder(ids.get(0), ids.get(1));
        assertThat(status(ids.get(2))).isEqualTo("MOVED");
    }

    @Test
    void deletesOneOrAllOrNone() {
        List<String> ids = fixture.writeDead(3);

        assertThat(fixture.send("DELETE", DLQ + "/" + ids.get(0), null).status())
                .isEqualTo(204);
        assertThat(fixture.send("DELETE", DLQ + "/" + ids.get(0), null).status())
                .isEqualTo(404);
        assertThat(fixture.send("DELETE", DLQ, "{\"ids\":" + ids(ids) + "}").status())
                .isEqualTo(404);
        assertThat(fixture.send("DELETE", DLQ, "{\"ids\":" + ids(ids.subList(1, 3)) + "}")
                        .status())
                .isEqualTo(204);
        assertThat(listed("")).isEmpty();
    }

    @Test
    void anEventInProcessIsAConflict() throws SQLException {
        String id = fixture.writeDead(1).get(0);
        try (Connection conn = fixture.pool().getConnection()) {
            JdbcTemplate.update(conn, "UPDATE outbox_dlq_event SET status = 1");
        }

        for (Answer answer : List.of(
                fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"RESOLVED\"}"),
                fixture.send("DELETE", DLQ + "/" + id, null))) {
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.object().get("type").getAsString()).endsWith("in-process");
        }
    }

    @Test
    void anIdThatIsTakenIsAConflict() {
        String id = fixture.writeDead(1).get(0);
        try (var tx = fixture.jdbc.begin()) {
            fixture.outbox
                    .writer()
                    .write(EventEnvelope.builder("Other")
                            .eventId(id)
                            .payloadJson("{}")
                            .build());
            tx.commit();
        }

        Answer answer = fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"TO_RETRY\"}");

        assertThat(answer.status()).isEqualTo(409);
        assertThat(status(id)).isEqualTo("MOVED");
    }

    @Test
    void twoOperatorsOnOneEvent() {
        String id = fixture.writeDead(1).get(0);

        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"RESOLVED\"}")
                        .status())
                .isEqualTo(204);
        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"RESOLVED\"}")
                        .status())
                .isEqualTo(204);
        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"TO_RETRY\"}")
                        .status())
                .isEqualTo(409);
    }

    @ParameterizedTest
    @CsvSource({
        "batchSize=9, batchSize",
        "batchSize=101, batchSize",
        "batchSize=ten, batchSize",
        "batchSize=10&batchSize=20, batchSize",
        "batchNumber=-1, batchNumber",
        "status=DONE, status"
    })
    void namesTheParameterThatIsWrong(String query, String field) {
        Answer answer = fixture.get(DLQ + "?" + query);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.header("Content-Type")).isEqualTo("application/problem+json");
        JsonObject problem = answer.object();
        assertThat(problem.get("type").getAsString()).isEqualTo("urn:outbox:problem:invalid-value");
        assertThat(problem.get("title").getAsString()).isNotBlank();
        assertThat(problem.get("status").getAsInt()).isEqualTo(400);
        assertThat(problem.get("instance").getAsString()).isEqualTo(DLQ);
        assertThat(problem.getAsJsonArray("fields")
                        .get(0)
                        .getAsJsonObject()
                        .get("field")
                        .getAsString())
                .isEqualTo(field);
    }

    @Test
    void aBatchBehindTheLastIsEmpty() {
        fixture.writeDead(1);
        assertThat(fixture.get(DLQ + "?batchSize=100&batchNumber=501")
                        .response()
                        .body())
                .isEqualTo("[]");
        assertThat(fixture.get(DLQ + "?batchNumber=2147483647&status=moved")
                        .response()
                        .body())
                .isEqualTo("[]");
    }

    @ParameterizedTest
    @ValueSource(strings = {"unknown", "1", "01890a5d-ac96-774b-bcce", "%27%20OR%201=1"})
    void refusesWhatIsNoId(String id) {
        assertThat(fixture.get(DLQ + "/" + id).status()).isEqualTo(400);
        assertThat(fixture.send("DELETE", DLQ + "/" + id, null).status()).isEqualTo(400);
    }

    @Test
    void takesUuidsAndUlids() {
        assertThat(fixture.get(DLQ + "/" + UNKNOWN).status()).isEqualTo(404);
        assertThat(fixture.get(DLQ + "/01ARZ3NDEKTSV4RRFFQ69G5FAV").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{",
                "[]",
                "null",
                "{\"ids\":[]}",
                "{\"ids\":[1],\"status\":\"RESOLVED\"}",
                "{\"ids\":\"x\",\"status\":\"RESOLVED\"}",
                "{\"ids\":[\"not-an-id\"],\"status\":\"RESOLVED\"}",
                "{\"ids\":[\"01890a5d-ac96-774b-bcce-b302099a8057\"]}",
                "{\"ids\":[\"01890a5d-ac96-774b-bcce-b302099a8057\"],\"status\":\"IN_PROCESS\"}",
                "{\"ids\":[\"01890a5d-ac96-774b-bcce-b302099a8057\"],\"status\":7}",
                "{\"ids\":[\"01890a5d-ac96-774b-bcce-b302099a8057\"],\"status\":\"RESOLVED\"} x"
            })
    void refusesABodyThatIsWrong(String body) {
        assertThat(fixture.send("PATCH", DLQ, body).status()).isEqualTo(400);
    }

    @Test
    void nobodySetsMovedOrInProcess() {
        String id = fixture.writeDead(1).get(0);

        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"IN_PROCESS\"}")
                        .status())
                .isEqualTo(400);
        assertThat(fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"MOVED\"}")
                        .status())
                .isEqualTo(409);
        assertThat(status(id)).isEqualTo("MOVED");
    }

    @Test
    void refusesOtherMethodsAndTypes() {
        Answer put = fixture.send("PUT", DLQ, "{}");
        assertThat(put.status()).isEqualTo(405);
        assertThat(put.header("Allow")).isEqualTo("DELETE, GET, PATCH");
        assertThat(fixture.send("PATCH", DLQ, "{}", "Content-Type", "text/plain")
                        .status())
                .isEqualTo(415);
        assertThat(fixture.send("PATCH", DLQ, "x".repeat(AdminRequest.MAX_BODY_BYTES + 1))
                        .status())
                .isEqualTo(413);
    }

    @Test
    void aFailureOfTheDatabaseSaysNothingOfIt() {
        fixture.pool().close();

        Answer answer = fixture.get(DLQ);

        assertThat(answer.status()).isEqualTo(503);
        assertThat(answer.response().body())
                .doesNotContainIgnoringCase("hikari")
                .doesNotContain("SQL");
    }

    @Test
    void withoutDeadLettersThereIsNothing() {
        try (AdminFixture without = AdminFixture.withoutDeadLetters()) {
            assertThat(without.get(DLQ).status()).isEqualTo(404);
            assertThat(without.get(DLQ + "/count").status()).isEqualTo(404);
            assertThat(without.get(DLQ + "/" + UNKNOWN).status()).isEqualTo(404);
            assertThat(without.send("PATCH", DLQ + "/" + UNKNOWN, "{\"status\":\"RESOLVED\"}")
                            .status())
                    .isEqualTo(404);
        }
    }
}
