package io.outbox.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Events in Spring transactions, from the write to the listener. */
class SpringTransactionsWithOutboxTest {

    private final JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1", "sa", "");
    private final DataSourceTransactionManager transactions = new DataSourceTransactionManager((DataSource) pool);
    private final SpringTxContext context = new SpringTxContext(pool);
    private final Queue<String> delivered = new ConcurrentLinkedQueue<>();
    private Outbox outbox;

    @BeforeEach
    void start() {
        transactions.addListener(context);
        OutboxSchema.of(pool, "outbox_event").createIfMissing();
        outbox = Outbox.singleNode()
                .connectionProvider(new DataSourceConnectionProvider(pool))
                .txContext(context)
                .outboxStore(new H2OutboxStore())
                .listenerRegistry(new DefaultListenerRegistry().register("Placed", event -> {
                    delivered.add(event.payloadJson());
                    return DispatchResult.done();
                }))
                .intervalMs(50)
                .build();
    }

    @AfterEach
    void stop() {
        outbox.close();
        assertThat(pool.getActiveConnections()).isZero();
        new JdbcTemplate(pool).execute("SHUTDOWN");
        pool.dispose();
    }

    private TransactionTemplate transaction(int propagation) {
        TransactionTemplate template = new TransactionTemplate(transactions);
        template.setPropagationBehavior(propagation);
        return template;
    }

    private void write(String payload) {
        outbox.writer().write("Placed", "\"" + payload + "\"");
    }

    private int pending() {
        return new JdbcTemplate(pool)
                .queryForObject("SELECT COUNT(*) FROM outbox_event WHERE status IN (0, 2)", Integer.class);
    }

    @Test
    void deliversWhatWasCommittedAndNothingElse() {
        for (int i = 0; i < 100; i++) {
            String number = String.valueOf(i);
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                write("kept " + number);
                transaction(TransactionDefinition.PROPAGATION_NESTED).executeWithoutResult(nested -> {
                    write("undone " + number);
                    nested.setRollbackOnly();
                });
                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                        .executeWithoutResult(inner -> write("inner " + number));
            });
            transaction(TransactionDefinition.PROPAGATION_REQUIRED).executeWithoutResult(tx -> {
                write("rolled back " + number);
                tx.setRollbackOnly();
            });
        }
        await().untilAsserted(() -> assertThat(pending()).isZero());
        assertThat(delivered).hasSize(200).doesNotHaveDuplicates();
        assertThat(delivered).noneMatch(event -> event.contains("undone") || event.contains("rolled back"));
    }

    @Test
    void saysWhichTransactionIsNeeded() {
        assertThatIllegalStateException()
                .isThrownBy(() -> write("lost"))
                .withMessageContaining("No active transaction")
                .withMessageContaining("@Transactional");
        TransactionTemplate readOnly = transaction(TransactionDefinition.PROPAGATION_REQUIRED);
        readOnly.setReadOnly(true);
        readOnly.executeWithoutResult(tx -> assertThatIllegalStateException()
                .isThrownBy(() -> write("lost"))
                .withMessageContaining("read-only"));
        assertThat(pending()).isZero();
    }

    @Test
    void deliversAnEventWrittenInANewTransactionAfterTheCommit() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCommit() {
                                transaction(TransactionDefinition.PROPAGATION_REQUIRES_NEW)
                                        .executeWithoutResult(next -> write("follow-up"));
                            }
                        }));
        await().untilAsserted(() -> assertThat(delivered).containsExactly("\"follow-up\""));
        await().untilAsserted(() -> assertThat(pending()).isZero());
    }

    @Test
    void keepsAnEventOutOfATransactionThatHasCommitted() {
        transaction(TransactionDefinition.PROPAGATION_REQUIRED)
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void afterCompletion(int status) {
                                assertThatIllegalStateException()
                                        .isThrownBy(() -> write("escaped"))
                                        .withMessageContaining("REQUIRES_NEW");
                            }
                        }));
        assertThat(new JdbcTemplate(pool).queryForObject("SELECT COUNT(*) FROM outbox_event", Integer.class))
                .isZero();
    }
}
