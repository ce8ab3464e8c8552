package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bulk actions that are paused and resumed while they run. */
class BulkActionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    private String begin(String body) {
        return fixture.send("POST", BASE + "/bulk", body).object().get("id").getAsString();
    }

    private JsonObject job(String id) {
        return fixture.get(BASE + "/bulk/" + id).object();
    }

    private void pauseAndResume(String id) {
        assertThat(fixture.post(BASE + "/bulk/" + id + "/pause").status()).isEqualTo(202);
        assertThat(fixture.post(BASE + "/bulk/" + id + "/resume").status()).isEqualTo(202);
    }

    private JsonObject ended(String id) {
        await().atMost(PATIENCE).until(() -> !job(id).get("finishedAt").isJsonNull());
        return job(id);
    }

    @Test
    void aRateHoldsHoweverOftenTheActionIsPausedAndResumed() {
        fixture.writeDead(40);
        long begun = System.nanoTime();
        String id = begin("{\"action\":\"resolve\",\"filter\":{},\"perSecond\":10}");
        await().atMost(PATIENCE).until(() -> job(id).get("done").getAsInt() == 10);

        for (int i = 0; i < 3; i++) {
            pauseAndResume(id);
        }

        assertThat(ended(id).get("done").getAsInt()).isEqualTo(40);
        Duration nominal = Duration.ofSeconds(3); // batches of ten, a second apart
        assertThat(Duration.ofNanos(System.nanoTime() - begun))
                .isGreaterThan(nominal.multipliedBy(9).dividedBy(10));
        assertThat(fixture.get(BASE + "/audit?action=resolve-all-done").object().getAsJsonArray("items"))
                .hasSize(1);
    }

    @Test
    void aBatchCountsAlthoughTheActionWasPausedAndResumedDuringIt() throws SQLException {
        fixture.writeDead(150);
        String id;
        try (Connection other = fixture.pool().getConnection()) {
            other.setAutoCommit(false);
            JdbcTemplate.query(other, "SELECT * FROM outbox_dlq_event FOR UPDATE", row -> row.getString(1));
            id = begin("{\"action\":\"resolve\",\"filter\":{}}");
            await().atMost(PATIENCE).until(this::isBatchWaiting);
            pauseAndResume(id);
            other.rollback();
        }

        JsonObject ended = ended(id);
        assertThat(ended.get("state").getAsString()).isEqualTo("DONE");
        assertThat(ended.get("done").getAsInt()).isEqualTo(150);
        assertThat(ended.get("skipped").getAsInt()).isZero();
    }

    @Test
    void anActionCancelledWhileItPausesDuringABatchEndsAfterTheBatchAndCountsIt() throws SQLException {
        fixture.writeDead(150);
        String id;
        try (Connection other = fixture.pool().getConnection()) {
            other.setAutoCommit(false);
            JdbcTemplate.query(other, "SELECT * FROM outbox_dlq_event FOR UPDATE", row -> row.getString(1));
            id = begin("{\"action\":\"resolve\",\"filter\":{}}");
            await().atMost(PATIENCE).until(this::isBatchWaiting);
            assertThat(fixture.post(BASE + "/bulk/" + id + "/pause").status()).isEqualTo(202);
            JsonObject cancelled =
                    fixture.send("DELETE", BASE + "/bulk/" + id, null).object();
            assertThat(cancelled.get("finishedAt").isJsonNull()).isTrue();
            other.rollback();
        }

        JsonObject ended = ended(id);
        assertThat(ended.get("state").getAsString()).isEqualTo("CANCELLED");
        assertThat(ended.get("done").getAsInt()).isEqualTo(100);
        assertThat(fixture.get(BASE + "/audit?action=resolve-all-cancelled")
                        .response()
                        .body())
                .contains("100 events");
    }

    private boolean isBatchWaiting() throws SQLException {
        try (Connection conn = fixture.pool().getConnection()) {
            String blocked = "SELECT COUNT(*) FROM information_schema.sessions WHERE blocker_id IS NOT NULL";
            return JdbcTemplate.query(conn, blocked, row -> row.getInt(1)).get(0) > 0;
        }
    }

    @Test
    void whatAnotherNodeHasTakenOverKeepsItsOwnerAndPlaceWhenTheFirstOneSavesItsBatch() {
        BulkJob job =
                BulkJob.of(new BulkJob.Order("job", Action.REPLAY, Map.of(), null, 300, true, "ann", Instant.EPOCH));
        BulkJob begun = job.takenBy(new BulkJob.Owner("1", "shop-1"));
        Action.Done batch = new Action.Done(99, Map.of("x", "gone"));
        BulkJob taken = begun.takenBy(new BulkJob.Owner("2", "shop-2")).at(new BulkJob.Progress(100, 0, "b"));

        BulkJob after = taken.after(begun, batch, "a");

        assertThat(after.owner().name()).isEqualTo("shop-2");
        assertThat(after.progress()).isEqualTo(new BulkJob.Progress(199, 1, "b"));
        assertThat(begun.paused().after(begun, batch, "a").isPaused()).isTrue();
        assertThat(begun.paused().released().paused().after(begun, batch, "a").isPaused())
                .isTrue();
    }
}
