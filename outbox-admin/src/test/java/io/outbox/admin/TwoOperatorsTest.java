package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.DLQ;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.admin.AdminFixture.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Two operators who act on one event at the same time: one of them does, and the other one is told. */
class TwoOperatorsTest {

    private static final int ROUNDS = 15;

    /**
     * All pairs of which either one rules out the other; to delete what is settled, or to settle it again, is no
     * conflict.
     */
    @ParameterizedTest
    @CsvSource({
        "replay, replay",
        "replay, resolve",
        "replay, delete",
        "replay, edit",
        "delete, delete",
        "edit, edit",
        "approve, replay",
        "approve, resolve",
        "approve, edit"
    })
    void oneOfThemActsOnALetter(String one, String other) throws Exception {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            for (String id : fixture.writeDead(ROUNDS)) {
                assertThatOneActs(fixture, id, one, other);
            }

            long letters = fixture.get(DLQ + "/count").object().get("count").getAsLong();
            long settled = fixture.get(DLQ + "/count?status=RESOLVED")
                    .object()
                    .get("count")
                    .getAsLong();
            assertThat(letters).as("letters that nobody has acted on").isEqualTo(settled);
            fixture.error = null;
            assertThat(fixture.outbox.deliverDue())
                    .as("replayed or edited, and the rest settled or deleted")
                    .isLessThanOrEqualTo(ROUNDS);
            assertThat(fixture.delivered).doesNotHaveDuplicates();
        }
    }

    @ParameterizedTest
    @CsvSource({"replay, replay", "replay, delete", "delete, delete", "edit, edit", "edit, replay", "edit, delete"})
    void oneOfThemActsOnADeadEvent(String one, String other) throws Exception {
        try (AdminFixture fixture = AdminFixture.withoutDeadLetters()) {
            for (String id : fixture.writeDead(ROUNDS)) {
                assertThatOneActs(fixture, id, one, other);
            }
        }
    }

    private static void assertThatOneActs(AdminFixture fixture, String id, String one, String other) throws Exception {
        CyclicBarrier start = new CyclicBarrier(2);
        List<CompletableFuture<Answer>> answers = Stream.of(one, other)
                .map(action -> CompletableFuture.supplyAsync(() -> {
                    await(start);
                    return act(fixture, id, action);
                }))
                .toList();

        int first = answers.get(0).get(60, TimeUnit.SECONDS).status();
        int second = answers.get(1).get(60, TimeUnit.SECONDS).status();

        assertThat(List.of(first, second))
                .as("%s and %s of %s", one, other, id)
                .satisfiesOnlyOnce(status -> assertThat(status).isBetween(200, 299))
                .satisfiesOnlyOnce(status -> assertThat(status).isIn(404, 409));
    }

    private static void await(CyclicBarrier start) {
        try {
            start.await(60, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static Answer act(AdminFixture fixture, String id, String action) {
        return switch (action) {
            case "approve" -> fixture.send("PATCH", DLQ + "/" + id, "{\"status\":\"TO_RETRY\"}");
            case "edit" -> fixture.send("POST", BASE + "/events/" + id + "/edit", "{\"payload\":\"{}\"}");
            default -> fixture.post(BASE + "/events/" + id + "/" + action);
        };
    }
}
