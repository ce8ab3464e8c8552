package io.outbox.spring;

import static io.outbox.spi.TransactionEnd.COMMITTED;
import static io.outbox.spi.TransactionEnd.ROLLED_BACK;
import static io.outbox.spi.TransactionEnd.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.spi.TransactionEnd;
import io.outbox.spring.FailingCommits.Fault;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What a {@link SpringTxContext} tells of the end of a transaction, held against what is in the database then. */
class TransactionEndsTest {

    private final JdbcDataSource database = new JdbcDataSource();
    private final FailingCommits dataSource = new FailingCommits(database);
    private final JdbcTemplate statements = new JdbcTemplate(dataSource);
    private final SpringTxContext context = new SpringTxContext(dataSource);
    private final Map<String, TransactionEnd> ends = new LinkedHashMap<>();
    private final List<String> callbacks = new ArrayList<>();
    private AbstractPlatformTransactionManager transactions = new DataSourceTransactionManager(dataSource);

    @BeforeEach
    void createTable() {
        database.setURL("jdbc:h2:mem:ends;DB_CLOSE_DELAY=-1");
        new JdbcTemplate(database).execute("CREATE TABLE entry (name VARCHAR(100) PRIMARY KEY)");
    }

    @AfterEach
    void shutDown() {
        new JdbcTemplate(database).execute("SHUTDOWN");
    }

    private TransactionTemplate transaction() {
        return new TransactionTemplate(transactions);
    }

    private TransactionTemplate nested() {
        TransactionTemplate nested = transaction();
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        return nested;
    }

    private void write(String name) {
        statements.update("INSERT INTO entry VALUES (?)", name);
        context.afterCompletion(end -> assertThat(ends.put(name, end)).isNull());
        context.afterCommit(() -> callbacks.add(name + " committed"));
        context.afterRollback(() -> callbacks.add(name + " rolled back"));
    }

    private List<String> stored() {
        return new JdbcTemplate(database).queryForList("SELECT name FROM entry ORDER BY name", String.class);
    }

    @Test
    void needsATransaction() {
        assertThatIllegalStateException()
                .isThrownBy(() -> context.afterCompletion(end -> {}))
                .withMessageStartingWith("No active transaction");
    }

    @Test
    void aCommitIsToldOnceItIsVisible() {
        transaction().executeWithoutResult(tx -> {
            write("order");
            context.afterCompletion(end -> assertThat(stored()).containsExactly("order"));
            context.afterCompletion(end -> ends.put("visible", end));
        });
        assertThat(ends).containsEntry("order", COMMITTED).containsEntry("visible", COMMITTED);
        assertThat(callbacks).containsExactly("order committed");
    }

    @Test
    void workBeforeTheCommitComesAfterThatOfOthersAndStopsNothing() {
        transaction().executeWithoutResult(tx -> {
            write("order");
            assertThat(context.beforeCommit(() -> {
                        callbacks.add("before: " + statements.queryForObject("SELECT COUNT(*) FROM entry", Long.class));
                        throw new IllegalStateException("on purpose");
                    }))
                    .isTrue();
            context.beforeCommit(() -> callbacks.add("before too"));
            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                @Override
                public void beforeCommit(boolean readOnly) {
                    write("last minute");
                }
            });
        });

        assertThat(callbacks).containsExactly("before: 2", "before too", "order committed", "last minute committed");
        assertThat(stored()).containsExactly("last minute", "order");
    }

    @Test
    void workBeforeTheCommitIsNotDoneBeforeARollback() {
        transaction().executeWithoutResult(tx -> {
            write("order");
            context.beforeCommit(() -> callbacks.add("before"));
            tx.setRollbackOnly();
        });

        assertThat(callbacks).containsExactly("order rolled back");
    }

    @Test
    void theEndIsUnknownIfWorkIsRegisteredTooLateToBeDoneBeforeTheCommit() {
        transaction()
                .executeWithoutResult(tx ->
                        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                            @Override
                            public void beforeCommit(boolean readOnly) {
                                write("last minute");
                                context.beforeCommit(() -> callbacks.add("before"));
                            }
                        }));

        assertThat(ends).containsExactly(Map.entry("last minute", UNKNOWN));
        assertThat(callbacks).containsExactly("last minute rolled back");
    }

    @Test
    void aRollbackIsCertain() {
        transaction().executeWithoutResult(tx -> {
            write("marked");
            tx.setRollbackOnly();
        });
        assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> {
                    write("thrown");
                    throw new IllegalArgumentException("business");
                }))
                .hasMessage("business");
        assertThatThrownBy(() -> transaction().executeWithoutResult(outer -> {
                    write("outer");
                    transaction().executeWithoutResult(inner -> {
                        write("inner");
                        inner.setRollbackOnly();
                    });
                }))
                .isInstanceOf(UnexpectedRollbackException.class);
        assertThat(ends)
                .containsOnlyKeys("marked", "thrown", "outer", "inner")
                .allSatisfy((name, end) -> assertThat(end).isEqualTo(ROLLED_BACK));
        assertThat(stored()).isEmpty();
    }

    @Test
    void aRollbackToASavepointEndsWhatWasWrittenAfterIt() {
        transaction().executeWithoutResult(tx -> {
            write("kept");
            Object savepoint = tx.createSavepoint();
            write("undone");
            tx.rollbackToSavepoint(savepoint);
            assertThat(ends).containsOnly(Map.entry("undone", ROLLED_BACK));
            write("kept too");
        });
        assertThat(ends).containsEntry("kept", COMMITTED).containsEntry("kept too", COMMITTED);
        assertThat(callbacks).containsExactly("undone rolled back", "kept committed", "kept too committed");
        assertThat(stored()).containsExactly("kept", "kept too");
    }

    @Test
    void aNestedTransactionEndsWithTheOuterOneUnlessItRollsBack() {
        transaction().executeWithoutResult(outer -> {
            nested().executeWithoutResult(tx -> write("released"));
            assertThat(ends).isEmpty();
            nested().executeWithoutResult(tx -> {
                write("undone");
                tx.setRollbackOnly();
            });
            assertThat(ends).containsOnly(Map.entry("undone", ROLLED_BACK));
        });
        assertThat(ends).containsEntry("released", COMMITTED);
        assertThat(stored()).containsExactly("released");
        transaction().executeWithoutResult(outer -> {
            nested().executeWithoutResult(tx -> write("released in vain"));
            outer.setRollbackOnly();
        });
        assertThat(ends).containsEntry("released in vain", ROLLED_BACK);
        assertThat(stored()).containsExactly("released");
    }

    /** Managers that leave a failed commit alone, roll back after it, and throw something else than the usual. */
    static Stream<Named<AbstractPlatformTransactionManager>> managers() {
        AbstractPlatformTransactionManager rollingBack = new DataSourceTransactionManager();
        rollingBack.setRollbackOnCommitFailure(true);
        return Stream.of(
                Named.of("as it is", new DataSourceTransactionManager()),
                Named.of("rolling back", rollingBack),
                Named.of("translating exceptions", new JdbcTransactionManager()));
    }

    private void use(AbstractPlatformTransactionManager manager) {
        ((DataSourceTransactionManager) manager).setDataSource(dataSource);
        transactions = manager;
    }

    @ParameterizedTest
    @MethodSource("managers")
    void aCommitWhoseAnswerIsLostIsUnknown(AbstractPlatformTransactionManager manager) {
        use(manager);
        dataSource.fault(Fault.COMMIT_ANSWER_LOST);
        assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write("order")))
                .hasStackTraceContaining("answer lost");
        assertThat(stored()).containsExactly("order");
        assertThat(ends).containsOnly(Map.entry("order", UNKNOWN));
        assertThat(callbacks).containsExactly("order rolled back");
    }

    @ParameterizedTest
    @MethodSource("managers")
    void aCommitThatFailsIsUnknown(AbstractPlatformTransactionManager manager) {
        use(manager);
        dataSource.fault(Fault.COMMIT_LOST);
        assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> write("order")))
                .hasStackTraceContaining("connection lost");
        assertThat(stored()).isEmpty();
        assertThat(ends).containsOnly(Map.entry("order", UNKNOWN));
        assertThat(callbacks).containsExactly("order rolled back");
    }

    @ParameterizedTest
    @MethodSource("managers")
    void aRollbackThatFailsIsUnknown(AbstractPlatformTransactionManager manager) {
        use(manager);
        dataSource.fault(Fault.ROLLBACK_ANSWER_LOST);
        assertThatThrownBy(() -> transaction().executeWithoutResult(tx -> {
                    write("order");
                    tx.setRollbackOnly();
                }))
                .hasStackTraceContaining("answer lost");
        assertThat(ends).containsOnly(Map.entry("order", UNKNOWN));
        assertThat(callbacks).containsExactly("order rolled back");
    }
}
