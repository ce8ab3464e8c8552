package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.FailingCommits.Fault;
import io.outbox.store.StoreBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Transactions that are repeated with the same event ids. Each event is delivered once, and without waiting: neither
 * for the lease nor for the next poll, which are both further away than a test waits.
 */
class RepeatedTransactionsTest {

    private static final int EVENTS = 100;
    private static final Duration FAR_AWAY = Duration.ofMinutes(5);

    private final JdbcConnectionPool pool =
            JdbcConnectionPool.create("jdbc:h2:mem:repeated;DB_CLOSE_DELAY=-1", "sa", "");
    private final FailingCommits dataSource = new FailingCommits(pool);
    private final DataSourceTransactionManager transactions = new DataSourceTransactionManager(dataSource);
    private final SpringTxContext context = new SpringTxContext(dataSource);
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private Outbox outbox;

    enum Nodes {
        SINGLE {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.singleNode();
            }
        },
        SEVERAL {
            @Override
            Outbox.AbstractBuilder<?> builder() {
                return Outbox.multiNode().claimLocking("node", FAR_AWAY);
            }
        };

        abstract Outbox.AbstractBuilder<?> builder();
    }

    @BeforeEach
    void createTable() {
        transactions.addListener(context);
        OutboxSchema.of(pool, "outbox_event").createIfMissing();
    }

    @AfterEach
    void stop() {
        outbox.close();
        assertThat(pool.getActiveConnections()).isZero();
        new JdbcTemplate(pool).execute("SHUTDOWN");
        pool.dispose();
    }

    private OutboxBackend backend() {
        return StoreBackend.of(new DataSourceConnectionProvider(pool), context, new H2OutboxStore(), null);
    }

    private void start(Nodes nodes) {
        start(nodes, backend());
    }

    private void start(Nodes nodes, OutboxBackend backend) {
        ListenerRegistry listeners = new DefaultListenerRegistry().register("Placed", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        outbox = nodes.builder()
                .backend(backend)
                .listenerRegistry(listeners)
                .intervalMs(FAR_AWAY.toMillis())
                .build();
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(transactions);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private TransactionTemplate transaction() {
        return transaction(TransactionDefinition.PROPAGATION_REQUIRED);
    }

    private TransactionTemplate nested() {
        return transaction(TransactionDefinition.PROPAGATION_NESTED);
    }

    private static List<String> ids() {
        return IntStream.range(0, EVENTS).mapToObj(i -> "order-" + i).toList();
    }

    private static EventEnvelope placed(String id) {
        return EventEnvelope.builder("Placed").eventId(id).payloadJson("{}").build();
    }

    private void write(String id) {
        outbox.writer().write(placed(id));
    }

    private void awaitEachOnce() {
        await().untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids()));
        await().untilAsserted(() -> assertThat(new JdbcTemplate(pool)
                        .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status = 1", Integer.class))
                .isEqualTo(EVENTS));
        assertThat(delivered).hasSize(EVENTS);
    }

    @ParameterizedTest
    @EnumSource
    void deliverOnceAfterARollback(Nodes nodes) {
        start(nodes);
        for (String id : ids()) {
            transaction().executeWithoutResult(tx -> {
                write(id);
                tx.setRollbackOnly();
            });
            transaction().executeWithoutResult(tx -> write(id));
        }
        awaitEachOnce();
    }

    @ParameterizedTest
    @EnumSource
    void deliverOnceAfterARollbackToASavepoint(Nodes nodes) {
        start(nodes);
        for (String id : ids()) {
            transaction().executeWithoutResult(outer -> {
                nested().executeWithoutResult(tx -> {
                    write(id);
                    tx.setRollbackOnly();
                });
                nested().executeWithoutResult(tx -> write(id));
            });
        }
        awaitEachOnce();
    }

    @ParameterizedTest
    @EnumSource
    void deliverOnceAfterACommitThatFailed(Nodes nodes) {
        start(nodes);
        for (String id : ids()) {
            dataSource.fault(Fault.COMMIT_LOST);
            assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write(id)))
                    .hasStackTraceContaining("connection lost");
            dataSource.fault(Fault.NONE);
            transaction().executeWithoutResult(tx -> write(id));
        }
        awaitEachOnce();
    }

    @ParameterizedTest
    @EnumSource
    void deliverOnceIfTheAnswerToTheCommitWasLost(Nodes nodes) {
        start(nodes);
        for (String id : ids()) {
            dataSource.fault(Fault.COMMIT_ANSWER_LOST);
            assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write(id)))
                    .hasStackTraceContaining("answer lost");
            dataSource.fault(Fault.NONE);
            assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write(id)))
                    .isInstanceOf(DuplicateEventException.class);
        }
        awaitEachOnce();
    }

    /** The poller passes over an event that is reserved; if the reservation comes to nothing, it has to come back. */
    @ParameterizedTest
    @EnumSource
    void deliverAnEventThatWasStoredAlreadyAfterAVainAttemptToStoreItAgain(Nodes nodes) {
        start(nodes);
        OutboxWriter elsewhere = new DefaultOutboxWriter(context, new H2OutboxStore());
        TransactionTemplate independent = transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        transaction().executeWithoutResult(tx -> {
            assertThatThrownBy(() -> {
                        independent.executeWithoutResult(before -> elsewhere.write(placed("order")));
                        write("order");
                    })
                    .isInstanceOf(DuplicateEventException.class);
            independent.executeWithoutResult(after -> {
                elsewhere.write(placed("order after it"));
                outbox.writer()
                        .write(placed("soon").toBuilder()
                                .deliverAfter(Duration.ofMillis(10))
                                .build());
            });
            await().untilAsserted(() -> assertThat(delivered).contains("order after it", "soon"));
            tx.setRollbackOnly();
        });
        await().untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrder("order after it", "soon", "order"));
    }

    /** The event is stored anew while the lock of the failed transaction is being released. */
    @Test
    void deliverOnceIfTheReleaseAfterAFailedCommitMeetsTheClaimOfTheSecondTry() {
        OutboxBackend backend = backend();
        ClaimBeforeRelease order = new ClaimBeforeRelease();
        start(Nodes.SEVERAL, (OutboxBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {OutboxBackend.class},
                (proxy, method, arguments) -> order.call(method, backend, arguments)));
        dataSource.fault(Fault.COMMIT_LOST);
        assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write("order")))
                .hasStackTraceContaining("connection lost");
        dataSource.fault(Fault.NONE);
        transaction().executeWithoutResult(tx -> write("order"));
        await().untilAsserted(() -> assertThat(
                        new JdbcTemplate(pool).queryForObject("SELECT status FROM outbox_event", Integer.class))
                .isEqualTo(1));
        assertThat(delivered).containsExactly("order");
    }

    /** Lets the first release wait for the first claim, and the answer to that claim for the end of the release. */
    private static final class ClaimBeforeRelease {

        private final CountDownLatch claimed = new CountDownLatch(1);
        private final AtomicReference<Thread> releasing = new AtomicReference<>();
        private final CountDownLatch released = new CountDownLatch(1);

        Object call(Method method, OutboxBackend backend, Object[] arguments) throws Throwable {
            if (method.getName().equals("release") && releasing.compareAndSet(null, Thread.currentThread())) {
                claimed.await();
            }
            try {
                Object result = method.invoke(backend, arguments);
                if (method.getName().equals("release")) {
                    released.countDown();
                } else if (result instanceof ClaimedPage page && !page.events().isEmpty() && claimed.getCount() > 0) {
                    claimed.countDown();
                    released.await();
                    await().until(() -> releasing.get().getState() == Thread.State.TIMED_WAITING);
                }
                return result;
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        }
    }
}
