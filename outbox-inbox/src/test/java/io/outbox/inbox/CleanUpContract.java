package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testing.contract.Parallel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What becomes of old marks, on any database. */
abstract class CleanUpContract {

    private static final EventIdExtractor<String> ITSELF = message -> message;

    private final String url;
    private final CountingMetrics metrics = new CountingMetrics();
    private Node node;

    CleanUpContract(String url) {
        this.url = url;
    }

    @BeforeEach
    void open() {
        node = new Node(url);
        node.execute("DELETE FROM outbox_consumed_event");
    }

    @AfterEach
    void close() {
        node.close();
    }

    private void consume(String consumer, List<String> eventIds) {
        node.consumer(consumer).consume(eventIds, ITSELF, fresh -> {});
    }

    private void consumeLongAgo(String consumer, Duration age, List<String> eventIds) {
        consume(consumer, eventIds);
        for (String id : eventIds) {
            node.execute(
                    "UPDATE outbox_consumed_event SET consumed_at = ? WHERE consumer = ? AND event_id = ?",
                    Instant.now().minus(age),
                    consumer,
                    id);
        }
    }

    private static List<String> ids(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(i -> prefix + i).toList();
    }

    private InboxCleanUp.Builder cleanUp() {
        return node.inbox().cleanUp().consumer("billing").batchSize(10).metrics(metrics);
    }

    @Test
    void oneRunDeletesAllOldMarksOfItsConsumerAndNoOther() {
        consumeLongAgo("billing", Duration.ofHours(25), ids("old", 55));
        consumeLongAgo("billing", Duration.ofHours(23), ids("younger", 5));
        consume("billing", ids("new", 5));
        consumeLongAgo("shipping", Duration.ofDays(30), ids("old", 3));

        try (InboxCleanUp cleanUp = cleanUp().build()) {
            cleanUp.runOnce();
        }

        assertThat(node.marks("billing"))
                .containsExactly(
                        "new0",
                        "new1",
                        "new2",
                        "new3",
                        "new4",
                        "younger0",
                        "younger1",
                        "younger2",
                        "younger3",
                        "younger4");
        assertThat(node.marks("shipping")).hasSize(3);
        assertThat(metrics.counts()).isEqualTo(Map.of("cleaned", 55L));
    }

    @Test
    void severalConsumersCanShareACleanUp() {
        consumeLongAgo("billing", Duration.ofHours(25), ids("old", 25));
        consumeLongAgo("shipping", Duration.ofHours(25), ids("old", 25));
        consumeLongAgo("archive", Duration.ofHours(25), ids("old", 1));

        try (InboxCleanUp cleanUp =
                cleanUp().consumers(List.of("billing", "shipping")).build()) {
            cleanUp.runOnce();
        }

        assertThat(node.marks("billing")).isEmpty();
        assertThat(node.marks("shipping")).isEmpty();
        assertThat(node.marks("archive")).hasSize(1);
        assertThat(metrics.counts()).isEqualTo(Map.of("cleaned", 50L));
    }

    @Test
    void nodesThatCleanUpAtTheSameTimeDeleteEachMarkOnce() {
        consumeLongAgo("billing", Duration.ofHours(25), ids("old", 100));

        Callable<Void> run = () -> {
            try (InboxCleanUp cleanUp = cleanUp().build()) {
                cleanUp.runOnce();
            }
            return null;
        };
        Parallel.run(List.of(run, run, run));
        run(run);

        assertThat(node.marks("billing")).isEmpty();
        assertThat(metrics.counts()).isEqualTo(Map.of("cleaned", 100L));
    }

    private static void run(Callable<Void> task) {
        Parallel.onAnotherThread(task);
    }

    @Test
    void theScheduleRunsUntilItIsClosed() {
        try (InboxCleanUp cleanUp = cleanUp()
                .initialDelay(Duration.ZERO)
                .fixedDelay(Duration.ofMillis(10))
                .build()) {
            cleanUp.start();
            cleanUp.start();
            for (int round = 0; round < 2; round++) {
                consumeLongAgo("billing", Duration.ofHours(25), ids("old" + round, 3));
                await().until(() -> node.marks("billing").isEmpty());
            }
        }

        await().until(() -> Thread.getAllStackTraces().keySet().stream()
                .noneMatch(thread -> thread.getName().startsWith("outbox-inbox-clean-up-")));
    }
}
