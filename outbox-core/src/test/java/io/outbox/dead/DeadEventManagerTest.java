package io.outbox.dead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.model.OutboxEvent;
import io.outbox.support.CountedConnections;
import io.outbox.support.FiveMethodStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadEventManagerTest {

    /** A store with dead events only. */
    private static final class DeadStore extends FiveMethodStore {
        private final Map<String, String> dead = new TreeMap<>();
        private final List<Integer> limits = new ArrayList<>();
        private final List<String> replays = new ArrayList<>();
        private boolean diesAgain;
        private int queriesUntilFailure = Integer.MAX_VALUE;
        private int replaysUntilFailure = Integer.MAX_VALUE;

        @Override
        public List<OutboxEvent> queryDead(Connection conn, String eventType, String aggregateType, int limit) {
            limits.add(limit);
            if (queriesUntilFailure-- == 0) {
                throw new IllegalStateException("down");
            }
            return dead.entrySet().stream()
                    .filter(entry -> eventType == null || eventType.equals(entry.getValue()))
                    .filter(entry -> aggregateType == null || aggregateType.equals("Order"))
                    .limit(limit)
                    .map(entry -> new OutboxEvent(
                            entry.getKey(),
                            entry.getValue(),
                            "Order",
                            null,
                            null,
                            "{}",
                            null,
                            3,
                            Instant.EPOCH,
                            Instant.EPOCH))
                    .toList();
        }

        @Override
        public int replayDead(Connection conn, String eventId) {
            replays.add(eventId);
            if (replaysUntilFailure-- == 0) {
                throw new IllegalStateException("down");
            }
            if (diesAgain) {
                return dead.containsKey(eventId) ? 1 : 0;
            }
            return dead.remove(eventId) != null ? 1 : 0;
        }

        @Override
        public int countDead(Connection conn, String eventType) {
            return (int) dead.values().stream()
                    .filter(type -> eventType == null || eventType.equals(type))
                    .count();
        }
    }

    private final DeadStore store = new DeadStore();
    private final CountedConnections connections = new CountedConnections();
    private final DeadEventManager manager = new DeadEventManager(connections, store);

    @AfterEach
    void noConnectionIsLeftOpen() {
        assertThat(connections.open()).isZero();
    }

    private void dead(int count, String type) {
        for (int i = 0; i < count; i++) {
            store.dead.put(String.format("%s%03d", type, i), type);
        }
    }

    @Test
    void queriesWithFiltersAndLimit() {
        dead(3, "A");
        dead(2, "B");

        assertThat(manager.query(null, null, 10)).hasSize(5);
        assertThat(manager.query("B", "Order", 10))
                .extracting(OutboxEvent::eventId)
                .containsExactly("B000", "B001");
        assertThat(manager.query("A", null, 2)).extracting(OutboxEvent::eventId).containsExactly("A000", "A001");
        assertThat(manager.query("A", "User", 2)).isEmpty();
    }

    @Test
    void countsWithFilter() {
        dead(3, "A");
        dead(2, "B");

        assertThat(manager.count(null)).isEqualTo(5);
        assertThat(manager.count("B")).isEqualTo(2);
        assertThat(manager.count("C")).isZero();
    }

    @Test
    void replaysOneEventOnce() {
        dead(1, "A");

        assertThat(manager.replay("A000")).isTrue();
        assertThat(manager.replay("A000")).isFalse();
        assertThat(manager.replay("unknown")).isFalse();
    }

    @Test
    void replaysAllInBatches() {
        dead(25, "A");
        dead(4, "B");

        assertThat(manager.replayAll("A", null, 10)).isEqualTo(25);

        assertThat(store.limits).containsExactly(10, 10, 10);
        assertThat(store.dead).hasSize(4);
    }

    @Test
    void replaysNothingWhenNothingMatches() {
        dead(3, "A");

        assertThat(manager.replayAll("C", null, 10)).isZero();
        assertThat(manager.replayAll("A", "User", 10)).isZero();
        assertThat(store.dead).hasSize(3);
    }

    @Test
    void endsThoughReplayedEventsDieAgain() {
        dead(5, "A");
        store.diesAgain = true;

        assertThat(manager.replayAll(null, null, 2)).isEqualTo(5);
    }

    @Test
    void replaysEachEventOnceThoughTheOldestDieAgainAtOnce() {
        dead(25, "A");
        store.diesAgain = true;

        assertThat(manager.replayAll(null, null, 2)).isEqualTo(25);

        assertThat(store.replays).hasSize(25).doesNotHaveDuplicates();
    }

    @Test
    void returnsTheEmptyResultWhenTheDatabaseFails() {
        dead(3, "A");
        connections.failWith(new SQLException("down"));

        assertThat(manager.query(null, null, 10)).isEmpty();
        assertThat(manager.replay("A000")).isFalse();
        assertThat(manager.replayAll(null, null, 10)).isZero();
        assertThat(manager.count(null)).isZero();
    }

    @Test
    void returnsWhatWasReplayedBeforeAQueryFailed() {
        dead(25, "A");
        store.queriesUntilFailure = 2;

        assertThat(manager.replayAll(null, null, 10)).isEqualTo(20);
    }

    @Test
    void stopsAtTheFirstReplayThatFailsAndReturnsWhatWasReplayedBefore() {
        dead(5, "A");
        store.replaysUntilFailure = 3;

        assertThat(manager.replayAll(null, null, 2)).isEqualTo(2);

        assertThat(store.replays).containsExactly("A000", "A001", "A002", "A003");
        assertThat(connections.commits()).isEqualTo(1);
        assertThat(connections.rollbacks()).as("of the batch that failed").isEqualTo(1);
    }

    @Test
    void noPageIsLargerThanABatchHoweverManyWereShownBefore() {
        dead(300, "A");
        store.diesAgain = true;

        assertThat(manager.replayAll(null, null, 10)).isEqualTo(300);

        assertThat(store.replays).hasSize(300).doesNotHaveDuplicates();
        assertThat(connections.commits()).isEqualTo(30);
    }

    @Test
    void returnsTheEmptyResultForAStoreWithoutDeadEventMethods() {
        DeadEventManager plain = new DeadEventManager(connections, new FiveMethodStore());

        assertThat(plain.query(null, null, 10)).isEmpty();
        assertThat(plain.count(null)).isZero();
        assertThat(plain.replay("A000")).isFalse();
        assertThat(plain.replayAll(null, null, 10)).isZero();
    }

    @Test
    void refusesBadArguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> manager.query(null, null, 0))
                .withMessageContaining("limit")
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> manager.replayAll(null, null, -1))
                .withMessageContaining("batchSize")
                .withMessageContaining("-1");
        assertThatNullPointerException().isThrownBy(() -> manager.replay(null)).withMessageContaining("eventId");
        assertThatNullPointerException()
                .isThrownBy(() -> new DeadEventManager(null, store))
                .withMessageContaining("connectionProvider");
        assertThatNullPointerException()
                .isThrownBy(() -> new DeadEventManager(connections, null))
                .withMessageContaining("outboxStore");
    }
}
