package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.outbox.admin.AdminFixture.Answer;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is answered, and what the audit log says, when the store does not do what an operator asks for. */
class FailuresTest {

    private AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Keeps all rows of a table from being changed, which the database gives up to wait for. */
    private Connection lock(String table) throws Exception {
        Connection conn = fixture.pool().getConnection();
        conn.setAutoCommit(false);
        JdbcTemplate.update(conn, "UPDATE " + table + " SET attempts = attempts");
        return conn;
    }

    private List<String> audit() {
        return fixture.get(BASE + "/audit").object().getAsJsonArray("items").asList().stream()
                .map(entry -> entry.getAsJsonObject().get("action").getAsString() + ": "
                        + entry.getAsJsonObject().get("target").getAsString())
                .toList();
    }

    private String bulk(String action) {
        Answer answer =
                fixture.send("POST", BASE + "/bulk", "{\"action\":\"" + action + "\",\"dryRun\":false,\"filter\":{}}");
        return answer.object().get("id").getAsString();
    }

    private JsonObject ended(String job) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> !fixture.get(BASE + "/bulk/" + job)
                        .object()
                        .get("finishedAt")
                        .isJsonNull());
        return fixture.get(BASE + "/bulk/" + job).object();
    }

    @Test
    void anActionThatTheStoreDoesNotDoIsNotDone() throws Exception {
        String id = fixture.writeDead(1).get(0);

        try (Connection lock = lock("outbox_dlq_event")) {
            assertThat(fixture.post(BASE + "/events/" + id + "/resolve").status())
                    .isEqualTo(503);
            lock.rollback();
        }

        assertThat(audit()).containsExactly("resolve-failed: " + id, "resolve: " + id);
    }

    @Test
    void anEventThatTheStoreDoesNotReplayIsNotSaidToBeMissing() throws Exception {
        fixture.close();
        fixture = AdminFixture.withoutDeadLetters();
        String id = fixture.writeDead(1).get(0);

        try (Connection lock = lock("outbox_event")) {
            assertThat(fixture.post(BASE + "/events/" + id + "/replay").status())
                    .isEqualTo(503);
            lock.rollback();
        }

        assertThat(audit()).containsExactly("replay-failed: " + id, "replay: " + id);
        assertThat(fixture.post(BASE + "/events/" + id + "/replay").status()).isEqualTo(204);
    }

    @Test
    void theAuditLogSaysHowBulkActionsEnd() throws Exception {
        fixture.writeDead(3);
        String failed;
        String cancelled;

        try (Connection lock = lock("outbox_dlq_event")) {
            failed = bulk("replay");
            cancelled = bulk("delete");
            fixture.send("DELETE", BASE + "/bulk/" + cancelled, null);
            assertThat(ended(failed).get("state").getAsString()).isEqualTo("FAILED");
            assertThat(ended(cancelled).get("state").getAsString()).isEqualTo("CANCELLED");
            lock.rollback();
        }
        ended(bulk("resolve"));

        assertThat(audit())
                .containsExactlyInAnyOrder(
                        "replay-all: 3 events",
                        "delete-all: 3 events",
                        "cancel-bulk: " + cancelled,
                        "replay-all-failed: 0 events, and 0 skipped",
                        "delete-all-cancelled: 0 events, and 0 skipped",
                        "resolve-all: 3 events",
                        "resolve-all-done: 3 events, and 0 skipped");
        assertThat(fixture.get(BASE + "/audit").object().getAsJsonArray("items").asList().stream()
                        .map(entry -> entry.getAsJsonObject().get("detail"))
                        .filter(detail ->
                                !detail.isJsonNull() && detail.getAsString().equals(failed + " {}")))
                .as("entries of one action")
                .hasSize(2);
    }
}
