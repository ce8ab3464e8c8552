package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Savepoint;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a cache may do and what it cannot spoil; and what is counted. */
class CacheTest {

    private static final EventIdExtractor<String> ITSELF = message -> message;

    private final Node node = new Node(TestDatabase.H2.newUrl());
    private final Map<String, Boolean> map = new ConcurrentHashMap<>();
    private final CountingMetrics metrics = new CountingMetrics();

    @AfterEach
    void close() {
        node.close();
    }

    private OutboxIdempotentConsumer consumer(String name, ConsumedEventCache cache) {
        return node.inbox().consumer().name(name).cache(cache).metrics(metrics).build();
    }

    private OutboxIdempotentConsumer consumer() {
        return consumer("billing", ConsumedEventCache.of(map));
    }

    @Test
    void whatTheCacheKnowsDoesNotReachTheDatabase() {
        OutboxIdempotentConsumer consumer = consumer();
        consumer.consumeById("a", () -> node.effect("a"));
        consumer.consume(List.of("b", "c"), ITSELF, node::effects);
        int before = node.transactionsBegun();

        consumer.consumeById("a", () -> node.effect("a"));
        consumer.consume(List.of("c", "a", "b", "a"), ITSELF, node::effects);

        assertThat(node.transactionsBegun()).isEqualTo(before);
        assertThat(node.effects()).containsExactly("a", "b", "c");
        assertThat(metrics.counts())
                .isEqualTo(Map.of("consumed", 3L, "duplicated", 5L, "cache-hit", 4L, "cache-miss", 3L));
    }

    @Test
    void keysTellConsumersApart() {
        consumer("a", ConsumedEventCache.of(map)).consumeById("b:c", () -> node.effect("first"));
        consumer("a:b", ConsumedEventCache.of(map)).consumeById("c", () -> node.effect("second"));

        assertThat(map).containsOnlyKeys("a:b:c", "a%3Ab:c");
        assertThat(node.effects()).containsExactly("first", "second");
    }

    @Test
    void theCacheIsToldAfterTheCommitOnly() {
        OutboxIdempotentConsumer consumer = consumer();
        assertThatThrownBy(() -> consumer.consumeById("a", () -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        try (Transaction tx = node.begin()) {
            consumer.consumeById("a", () -> node.effect("a"));
            consumer.consumeById("a", () -> node.effect("a"));
            assertThat(map).isEmpty();
            tx.rollback();
        }
        assertThat(map).isEmpty();

        try (Transaction tx = node.begin()) {
            consumer.consumeById("a", () -> node.effect("a"));
            assertThat(map).isEmpty();
            tx.commit();
        }

        assertThat(map).containsOnlyKeys("billing:a");
        assertThat(node.effects()).containsExactly("a");
    }

    @Test
    void aTransactionWhoseEndIsUnknownTellsTheCacheNothing() throws Exception {
        try (Transaction tx = node.begin()) {
            Savepoint savepoint = tx.connection().setSavepoint();
            consumer().consumeById("a", () -> node.effect("a"));
            tx.rollbackTo(savepoint);
            tx.commit();
        }

        assertThat(map).isEmpty();
        consumer().consumeById("a", () -> node.effect("a"));
        assertThat(node.effects()).containsExactly("a");
    }

    @Test
    void aCacheThatForgetsIsHarmless() {
        OutboxIdempotentConsumer consumer = consumer();
        for (int time = 0; time < 3; time++) {
            consumer.consumeById("a", () -> node.effect("a"));
            consumer.consume(List.of("a", "b"), ITSELF, node::effects);
            map.clear();
        }

        assertThat(node.effects()).containsExactly("a", "b");
    }

    @Test
    void duplicatesThatTheDatabaseKnewAreRememberedToo() {
        consumer().consumeById("a", () -> node.effect("a"));
        map.clear();

        consumer().consumeById("a", () -> node.effect("a"));

        assertThat(map).containsOnlyKeys("billing:a");
    }

    /** One that names events nobody asked about, and forgets those it was told of. */
    /** The outer call takes its mark back, since its operation failed; the inner one has seen it. */
    @Test
    void aMarkThatIsTakenBackBeforeTheCallersCommitIsNotRemembered() {
        OutboxIdempotentConsumer consumer = consumer("billing", ConsumedEventCache.of(new ConcurrentHashMap<>()));
        try (Transaction tx = node.begin()) {
            assertThatThrownBy(() -> consumer.consumeById("a", () -> {
                        consumer.consumeById("a", () -> node.effect("inner"));
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            tx.commit();
        }

        consumer.consumeById("a", () -> node.effect("a"));

        assertThat(node.effects()).containsExactly("a");
    }

    @Test
    void aCacheThatAnswersNonsenseIsHarmless() {
        OutboxIdempotentConsumer consumer = consumer("billing", new ConsumedEventCache() {
            @Override
            public boolean contains(String key) {
                return false;
            }

            @Override
            public Set<String> containedAmong(Collection<String> keys) {
                return Set.of("billing:z", "nonsense");
            }

            @Override
            public void add(String key) {}
        });

        consumer.consume(List.of("a", "b"), ITSELF, node::effects);
        consumer.consume(List.of("b", "a"), ITSELF, node::effects);

        assertThat(node.effects()).containsExactly("a", "b");
    }

    @Test
    void aCacheThatThrowsLeavesTheDecisionToTheDatabaseAndIsLoggedOnce() {
        OutboxIdempotentConsumer consumer = consumer("billing", new ConsumedEventCache() {
            @Override
            public boolean contains(String key) {
                throw new IllegalStateException("cache is down");
            }

            @Override
            public void add(String key) {
                throw new IllegalStateException("cache is down");
            }
        });

        try (CapturedLog log = CapturedLog.open()) {
            for (int time = 0; time < 3; time++) {
                consumer.consumeById("a", () -> node.effect("a"));
                consumer.consume(List.of("a", "b"), ITSELF, node::effects);
            }
            assertThat(log.warnings())
                    .containsExactly("The cache of consumed events failed; the database decides what was consumed");
        }

        assertThat(node.effects()).containsExactly("a", "b");
        assertThat(metrics.counts()).isEqualTo(Map.of("consumed", 2L, "duplicated", 7L));
    }

    @Test
    void aFailureCountsTheWholeBatchOnce() {
        OutboxIdempotentConsumer consumer = consumer();
        consumer.consumeById("a", () -> {});

        assertThatThrownBy(() -> consumer.consume(List.of("a", "b", "c"), ITSELF, fresh -> {
                    throw new IllegalStateException("no");
                }))
                .hasMessage("no");
        assertThat(metrics.counts()).containsEntry("failed", 3L);

        try (Transaction tx = node.begin()) {
            assertThatThrownBy(() -> consumer.consume(List.of("b", "c"), ITSELF, fresh -> {
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
            tx.rollback();
        }
        try (Transaction tx = node.begin()) {
            consumer.consume(List.of("b", "c"), ITSELF, fresh -> {});
            tx.rollback();
        }
        assertThat(metrics.counts()).containsEntry("failed", 7L).containsEntry("consumed", 1L);
    }

    @Test
    void metricsThatThrowDoNoHarm() {
        OutboxIdempotentConsumer consumer = node.inbox()
                .consumer()
                .metrics(new InboxMetrics() {
                    @Override
                    public void incrementConsumed(long count) {
                        throw new IllegalStateException("no");
                    }
                })
                .build();

        try (CapturedLog log = CapturedLog.open()) {
            consumer.consumeById("a", () -> node.effect("a"));
            consumer.consumeById("b", () -> node.effect("b"));
            assertThat(log.warnings()).hasSize(1);
        }
        assertThat(node.effects()).containsExactly("a", "b");
    }
}
