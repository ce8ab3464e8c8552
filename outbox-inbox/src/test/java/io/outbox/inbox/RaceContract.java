package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testing.contract.Parallel;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What consumers do that meet at the same events, on any database. */
abstract class RaceContract {

    private static final EventIdExtractor<String> ITSELF = message -> message;
    private static final int THREADS = 4;

    private final String url;
    private final String isolation;
    private Node first;
    private Node second;

    RaceContract(String url, String isolation) {
        this.url = url;
        this.isolation = isolation;
    }

    @BeforeEach
    void open() {
        first = new Node(url, isolation, pool -> pool);
        second = new Node(url, isolation, pool -> pool);
        first.execute("DELETE FROM outbox_consumed_event");
        first.execute("DELETE FROM effect");
    }

    @AfterEach
    void close() {
        first.close();
        second.close();
    }

    private List<Node> nodes() {
        return List.of(first, second);
    }

    @Test
    void theSameEventTenTimesOnFourThreadsHasOneEffect() {
        for (int round = 0; round < 20; round++) {
            String eventId = "event " + round;
            List<Callable<Void>> tasks = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Node node = nodes().get(thread % 2);
                OutboxIdempotentConsumer consumer = node.consumer("billing");
                tasks.add(() -> {
                    for (int time = 0; time < 10; time++) {
                        consumer.consumeById(eventId, () -> node.effect(eventId));
                    }
                    return null;
                });
            }
            Parallel.run(tasks);
        }

        assertThat(first.effects()).hasSize(20).doesNotHaveDuplicates();
    }

    @Test
    void overlappingBatchesOfSeveralNodesNeverFail() {
        long seed = new Random().nextLong();
        List<String> all = IntStream.range(0, 600)
                .mapToObj(i -> UUID.randomUUID().toString())
                .toList();
        List<Callable<Void>> tasks = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
            Node node = nodes().get(thread % 2);
            Random random = new Random(seed + thread);
            tasks.add(() -> {
                OutboxIdempotentConsumer consumer = node.consumer("billing");
                List<String> shuffled = new ArrayList<>(all);
                for (int round = 0; round < 3; round++) {
                    Collections.shuffle(shuffled, random);
                    for (int from = 0; from < shuffled.size(); from += 50) {
                        List<String> batch = shuffled.subList(from, from + 50);
                        if (random.nextInt(4) == 0) {
                            batch.forEach(id -> consumer.consumeById(id, () -> node.effect(id)));
                        } else {
                            consumer.consume(batch, ITSELF, node::effects);
                        }
                    }
                }
                return null;
            });
        }

        Parallel.run(tasks);

        assertThat(first.effects())
                .as("seed %d", seed)
                .containsExactlyElementsOf(all.stream().sorted().toList());
    }

    @Test
    void theLoserWaitsAndSkipsWhatTheWinnerCommits() {
        assertThat(effectsOfTwo(false)).containsExactly("by the winner");
    }

    @Test
    void theLoserRunsWhatTheWinnerRollsBack() {
        assertThat(effectsOfTwo(true)).containsExactly("by the loser");
    }

    /** Has two nodes consume the same event, the second while the operation of the first is under way. */
    private List<String> effectsOfTwo(boolean winnerFails) {
        CountDownLatch won = new CountDownLatch(1);
        AtomicReference<Thread> loser = new AtomicReference<>();
        Parallel.run(List.<Callable<Void>>of(
                () -> {
                    try {
                        first.consumer("billing").consumeById("a", () -> {
                            first.effect("by the winner");
                            won.countDown();
                            await().until(() -> isInDriver(loser.get()));
                            if (winnerFails) {
                                throw new IllegalStateException("no");
                            }
                        });
                    } catch (IllegalStateException e) {
                        assertThat(winnerFails).isTrue();
                    }
                    return null;
                },
                () -> {
                    won.await();
                    loser.set(Thread.currentThread());
                    second.consumer("billing").consume(List.of("a"), ITSELF, fresh -> second.effect("by the loser"));
                    return null;
                }));
        return first.effects();
    }

    /** Returns whether the thread is where it waits for the answer to a statement about marks. */
    private static boolean isInDriver(Thread thread) {
        return thread != null
                && Stream.of(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("ConsumedEvents"));
    }

    /** A foreign transaction inserts the same marks in the other order, so that the database has to give one up. */
    @Test
    void aBatchThatMeetsADeadlockIsNoFailure() throws SQLException {
        for (int round = 0; round < 3; round++) {
            String a = "a" + round;
            String b = "b" + round;
            AtomicReference<Thread> consuming = new AtomicReference<>();
            try (Connection foreign = first.openConnection()) {
                foreign.setAutoCommit(false);
                insert(foreign, b);
                Parallel.run(List.<Callable<Void>>of(
                        () -> {
                            consuming.set(Thread.currentThread());
                            second.consumer("billing").consume(List.of(b, a), ITSELF, second::effects);
                            return null;
                        },
                        () -> {
                            await().until(() -> isInDriver(consuming.get()));
                            try {
                                insert(foreign, a);
                            } catch (SQLException e) {
                                // either of the two may be given up
                            }
                            foreign.rollback();
                            return null;
                        }));
                foreign.setAutoCommit(true);
            }
        }

        assertThat(first.effects()).containsExactly("a0", "a1", "a2", "b0", "b1", "b2");
    }

    private static void insert(Connection conn, String eventId) throws SQLException {
        boolean hasToken = !conn.getMetaData().getURL().startsWith("jdbc:postgresql:");
        String sql = hasToken
                ? "INSERT INTO outbox_consumed_event (consumer, event_id, token, consumed_at) VALUES ('billing', ?, 1, '2020-01-01')"
                : "INSERT INTO outbox_consumed_event (consumer, event_id, consumed_at) VALUES ('billing', ?, '2020-01-01')";
        try (PreparedStatement statement = conn.prepareStatement(sql)) {
            statement.setString(1, eventId);
            statement.executeUpdate();
        }
    }
}
