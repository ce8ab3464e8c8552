package io.outbox.jdbc;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.WakeUp;
import io.outbox.store.StoreBackend;
import java.util.Objects;
import javax.sql.DataSource;

/**
 * Everything a plain JDBC application needs, assembled from a {@link DataSource}: the store that fits the database,
 * transactions, and the backend to build an {@link io.outbox.Outbox} on. Immutable and thread-safe.
 *
 * <pre>{@code
 * JdbcOutbox jdbc = JdbcOutbox.of(dataSource).createSchema();
 * try (Outbox outbox = Outbox.singleNode().backend(jdbc.backend()).listenerRegistry(listeners).build()) {
 *     try (Transaction tx = jdbc.begin()) {
 *         // business statements on tx.connection()
 *         outbox.writer().write("OrderPlaced", json);
 *         tx.commit();
 *     }
 * }
 * }</pre>
 */
public final class JdbcOutbox {

    private final DataSource dataSource;
    private final AbstractJdbcOutboxStore store;
    private final DeadLetterStore deadLetters;
    private final boolean createsSchema;
    private final ConnectionProvider connectionProvider;
    private final ThreadLocalTxContext txContext;
    private final JdbcTransactionManager transactions;

    private JdbcOutbox(
            DataSource dataSource,
            AbstractJdbcOutboxStore store,
            boolean createsSchema,
            ThreadLocalTxContext txContext,
            DeadLetterStore deadLetters) {
        this.dataSource = dataSource;
        this.store = store;
        this.deadLetters = deadLetters;
        this.createsSchema = createsSchema;
        this.connectionProvider = new DataSourceConnectionProvider(dataSource);
        this.txContext = txContext;
        this.transactions = new JdbcTransactionManager(connectionProvider, txContext);
    }

    /** Assembles the parts for the default table; connects once to find out which database it is. */
    public static JdbcOutbox of(DataSource dataSource) {
        return of(dataSource, TableNames.DEFAULT_TABLE);
    }

    /** Assembles the parts for a table, which may be qualified by its schema. */
    public static JdbcOutbox of(DataSource dataSource, String tableName) {
        Objects.requireNonNull(dataSource, "dataSource");
        TableNames.validate(tableName);
        AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource).withTable(tableName);
        return new JdbcOutbox(dataSource, store, false, new ThreadLocalTxContext(), null);
    }

    /** Returns the purger of finished events that fits a store. */
    public static EventPurger purgerFor(AbstractJdbcOutboxStore store) {
        return store.purger();
    }

    /** Returns the purger by age, for writer-only use, that fits a store. */
    public static EventPurger ageBasedPurgerFor(AbstractJdbcOutboxStore store) {
        return store.ageBasedPurger();
    }

    /**
     * Creates the outbox table where it is missing.
     *
     * @return the same parts, on the same transactions; a backend made from them also creates the index for event types
     *     with lanes of their own, once there are any
     */
    public JdbcOutbox createSchema() {
        OutboxSchema.of(dataSource, store).createIfMissing();
        if (deadLetters != null) {
            DeadLetterSchema.of(dataSource, deadLetters).createIfMissing();
        }
        return new JdbcOutbox(dataSource, store, true, txContext, deadLetters);
    }

    /**
     * Checks the outbox table, so that a wrong column shows at start-up and not at the first event; see
     * {@link OutboxSchema#validate()}.
     */
    public JdbcOutbox validateSchema() {
        OutboxSchema.of(dataSource, store).validate();
        if (deadLetters != null) {
            DeadLetterSchema.of(dataSource, deadLetters).validate();
        }
        return this;
    }

    /**
     * Returns the same outbox with dead letters: events that die move to a separate table, in the transaction that
     * marks them dead. {@link #createSchema()}, called afterwards, creates that table too.
     */
    public JdbcOutbox withDeadLetters() {
        return withDeadLetters(DeadLetterStore.of(store));
    }

    /** Like {@link #withDeadLetters()}, with a store of this outbox's table that decides where letters go and when. */
    public JdbcOutbox withDeadLetters(DeadLetterStore deadLetters) {
        if (!deadLetters.outboxStore().tableName().equals(store.tableName())) {
            throw new IllegalArgumentException("The dead letters are those of the outbox table "
                    + deadLetters.outboxStore().tableName() + ", not of " + store.tableName());
        }
        return new JdbcOutbox(dataSource, store, createsSchema, txContext, deadLetters);
    }

    /**
     * Returns the engine for {@code Outbox} builders.
     *
     * @throws OutboxSchemaException if the server refuses by its settings what delivery writes
     */
    public OutboxBackend backend() {
        if (!createsSchema) {
            OutboxSchema.of(dataSource, store).validateServer();
        }
        OwnershipStore delivering = deadLetters != null ? deadLetters : store;
        OutboxBackend backend = StoreBackend.of(connectionProvider, txContext, delivering, store.purger());
        return createsSchema ? new IndexingBackend(backend, connectionProvider, store, deadLetters) : backend;
    }

    /** Returns the engine for {@code Outbox.writerOnly()}: its purge deletes events by age, delivered or not. */
    public OutboxBackend writerOnlyBackend() {
        return StoreBackend.of(connectionProvider, txContext, store, store.ageBasedPurger());
    }

    /**
     * Returns how outboxes on this table tell each other of events, for {@code Outbox} builders: by notifications on
     * PostgreSQL, which keep one more connection of the pool in use. Other databases have none, so it only says that
     * polling has to do.
     */
    public WakeUp wakeUp() {
        return wakeUp(dataSource);
    }

    /**
     * As {@link #wakeUp()}, hearing of events by a connection of another data source to the same database: a direct
     * one, where this one goes through a pooler in transaction mode.
     */
    public WakeUp wakeUp(DataSource listenOn) {
        return store.wakeUp(dataSource, listenOn);
    }

    /**
     * Gives up the order of keys: events that had failed for good and blocked their key are delivered once more, like
     * any others, and with all their attempts. For an outbox that is to be used without {@code ordering(…)} from now
     * on, when no instance delivers with it any more. What else waits needs no change: without {@code ordering(…)} it
     * is delivered in any order.
     *
     * @return how many events had blocked their key
     */
    public int dropOrder() {
        return store.releaseParked(connectionProvider);
    }

    /** Begins a transaction on this thread. */
    public JdbcTransactionManager.Transaction begin() {
        return transactions.begin();
    }

    public AbstractJdbcOutboxStore store() {
        return store;
    }

    public EventPurger purger() {
        return store.purger();
    }

    public ConnectionProvider connectionProvider() {
        return connectionProvider;
    }

    public ThreadLocalTxContext txContext() {
        return txContext;
    }

    public JdbcTransactionManager transactions() {
        return transactions;
    }
}
