package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.testing.contract.Parallel;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of marks that the database gives up in favour of others. */
class GivenUpTest {

    private final AtomicInteger deadlocks = new AtomicInteger();
    private final Node node = new Node(
            TestDatabase.H2.newUrl(),
            pool -> Intercepted.dataSource(pool, call -> {
                if (call.executes("INTO outbox_consumed_event") && deadlocks.getAndDecrement() > 0) {
                    throw new SQLException("deadlock", "40001");
                }
                return call.proceed();
            }));
    private final CountingMetrics metrics = new CountingMetrics();
    private final OutboxIdempotentConsumer consumer =
            node.inbox().consumer().metrics(metrics).build();

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void inATransactionOfItsOwnTheConsumerBeginsAgain() {
        deadlocks.set(3);

        consumer.consumeById("a", () -> node.effect("a"));

        assertThat(node.effects()).containsExactly("a");
        assertThat(metrics.counts()).containsOnlyKeys("consumed");
    }

    @Test
    void aDatabaseThatNeverGivesInIsAFailure() {
        deadlocks.set(Integer.MAX_VALUE);

        assertThatThrownBy(() -> consumer.consumeById("a", () -> node.effect("a")))
                .isInstanceOf(OutboxStoreException.class);

        assertThat(metrics.counts()).containsOnlyKeys("failed");
    }

    /** Each wait may be of 50 seconds. */
    @Test
    void aLockThatIsNotReleasedIsWaitedForTwice() {
        AtomicInteger waits = new AtomicInteger();
        Function<DataSource, DataSource> locked = pool -> Intercepted.dataSource(pool, call -> {
            if (call.executes("INTO outbox_consumed_event")) {
                waits.incrementAndGet();
                throw new SQLException("Lock wait timeout exceeded", "HY000", 1205);
            }
            return call.proceed();
        });
        try (Node waiting = new Node(TestDatabase.MYSQL.newUrl(), locked)) {
            assertThatThrownBy(() -> waiting.consumer("billing").consumeById("a", () -> waiting.effect("a")))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("Lock wait timeout");
        }
        assertThat(waits).hasValue(2);
    }

    @Test
    void inATransactionOfTheCallersTheFailureIsTheCallers() {
        deadlocks.set(1);

        try (Transaction tx = node.begin()) {
            assertThatThrownBy(() -> consumer.consumeById("a", () -> node.effect("a")))
                    .isInstanceOf(OutboxStoreException.class)
                    .hasMessageContaining("deadlock");
            tx.rollback();
        }

        assertThat(deadlocks).hasValue(0);
        assertThat(metrics.counts()).containsEntry("failed", 1L);
    }

    @Test
    void aDeadlockOfTheOperationIsNotRepeated() {
        AtomicInteger runs = new AtomicInteger();
        OutboxStoreException deadlock = new OutboxStoreException("deadlock", new SQLException("deadlock", "40001"));

        assertThatThrownBy(() -> consumer.consumeById("a", () -> {
                    runs.incrementAndGet();
                    throw deadlock;
                }))
                .isSameAs(deadlock);

        assertThat(runs).hasValue(1);
        assertThat(node.marks(JdbcInbox.DEFAULT_CONSUMER)).isEmpty();
    }

    /** MySQL and H2 roll back the whole transaction of a deadlock's victim, and go on in a new one. */
    @Test
    void marksThatOthersAddAfterTheDatabaseGaveUpTheTransactionStay() {
        try (Transaction tx = node.begin()) {
            assertThatThrownBy(() -> consumer.consumeById("a", () -> {
                        rollBack(tx.connection());
                        Parallel.onAnotherThread(() -> consumer.consumeByIdReturning("a", () -> {
                            node.effect("a");
                            return null;
                        }));
                        throw new IllegalStateException("deadlock");
                    }))
                    .hasMessage("deadlock");
            tx.commit();
        }

        consumer.consumeById("a", () -> node.effect("a"));

        assertThat(node.effects()).containsExactly("a");
    }

    private static void rollBack(Connection conn) {
        try {
            conn.rollback();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
