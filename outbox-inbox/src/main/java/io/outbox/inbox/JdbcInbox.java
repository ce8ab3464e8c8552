package io.outbox.inbox;

import io.outbox.OutboxHeaders;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.TableNames;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.HeaderReader;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The consumer side of an application with a database: creates idempotent consumers, and the table of their marks, and
 * cleans that table up. Immutable and thread-safe.
 *
 * <pre>{@code
 * JdbcInbox inbox = JdbcInbox.of(dataSource).createSchema();
 * OutboxIdempotentConsumer consumer = inbox.consumer().name("billing").build();
 * consumer.consume(record, () -> bill(inbox.currentConnection(), record.value()));
 * }</pre>
 */
public final class JdbcInbox {

    /** The consumer's name, unless another is given. */
    public static final String DEFAULT_CONSUMER = "default";

    private static final int MAX_NAME_LENGTH = 128;

    private final ConnectionProvider connections;
    private final AbstractJdbcOutboxStore store;
    private final String tableName;
    private final InboxTransactions transactions;

    private JdbcInbox(
            ConnectionProvider connections,
            AbstractJdbcOutboxStore store,
            String tableName,
            InboxTransactions transactions) {
        this.connections = connections;
        this.store = store;
        this.tableName = TableNames.validate(tableName);
        this.transactions = transactions;
    }

    /**
     * Returns an inbox in the default table that begins its own transactions; connects once to find out which database
     * it is.
     */
    public static JdbcInbox of(DataSource dataSource) {
        Objects.requireNonNull(dataSource, "dataSource");
        ConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
        ThreadLocalTxContext context = new ThreadLocalTxContext();
        return new JdbcInbox(
                connections,
                JdbcOutboxStores.detect(dataSource),
                InboxSchema.DEFAULT_TABLE,
                new JdbcInboxTransactions(new JdbcTransactionManager(connections, context), context));
    }

    /**
     * Returns an inbox in the default table whose transactions are those of an outbox: what is consumed can write
     * events.
     */
    public static JdbcInbox of(JdbcOutbox outbox) {
        Objects.requireNonNull(outbox, "outbox");
        return new JdbcInbox(
                outbox.connectionProvider(),
                outbox.store(),
                InboxSchema.DEFAULT_TABLE,
                new JdbcInboxTransactions(outbox.transactions(), outbox.txContext()));
    }

    /**
     * Returns an inbox in the default table with the transactions of a framework, which are of the same data source.
     */
    public static JdbcInbox of(DataSource dataSource, InboxTransactions transactions) {
        Objects.requireNonNull(dataSource, "dataSource");
        Objects.requireNonNull(transactions, "transactions");
        return new JdbcInbox(
                new DataSourceConnectionProvider(dataSource),
                JdbcOutboxStores.detect(dataSource),
                InboxSchema.DEFAULT_TABLE,
                transactions);
    }

    /** Returns the same inbox in another table, which may be qualified by its schema. */
    public JdbcInbox withTable(String tableName) {
        return new JdbcInbox(connections, store, tableName, transactions);
    }

    /** Returns the table of consumed events: its DDL and its validation. */
    public InboxSchema schema() {
        return new InboxSchema(connections, store, tableName);
    }

    /** Creates the table of consumed events where it is missing. */
    public JdbcInbox createSchema() {
        schema().createIfMissing();
        return this;
    }

    /**
     * Checks the table of consumed events, so that a wrong one shows at start-up; see {@link InboxSchema#validate()}.
     */
    public JdbcInbox validateSchema() {
        schema().validate();
        return this;
    }

    /** Returns the transactions in which events are consumed. */
    public InboxTransactions transactions() {
        return transactions;
    }

    /**
     * Returns the connection of the transaction that this thread is in, for the statements of an operation. Do not
     * commit or close it.
     *
     * @throws IllegalStateException if there is no transaction
     */
    public Connection currentConnection() {
        return transactions.context().currentConnection();
    }

    /** Returns what builds a consumer. */
    public ConsumerBuilder consumer() {
        return new ConsumerBuilder(this);
    }

    /** Returns what builds the clean-up of a consumer's marks. */
    public InboxCleanUp.Builder cleanUp() {
        return new InboxCleanUp.Builder(connections, ConsumedEvents.of(store, tableName));
    }

    /**
     * Returns the name, if it is one that a consumer can have.
     *
     * @throws IllegalArgumentException if it is blank, longer than {@value #MAX_NAME_LENGTH} characters, begins or ends
     *     with a blank, or contains control characters
     */
    public static String validName(String name) {
        Objects.requireNonNull(name, "name");
        if (name.isBlank() || !name.equals(name.strip()) || name.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    "name must not be blank, begin or end with a blank, or contain control characters: '" + name + "'");
        }
        if (name.length() > MAX_NAME_LENGTH) {
            throw new IllegalArgumentException(
                    "name must have at most " + MAX_NAME_LENGTH + " characters, but has " + name.length());
        }
        return name;
    }

    /** Builds a consumer. Not thread-safe. */
    public static final class ConsumerBuilder {

        private final JdbcInbox inbox;
        private final List<HeaderReader<?>> readers = new ArrayList<>();
        private String name = DEFAULT_CONSUMER;
        private String idHeader = OutboxHeaders.EVENT_ID.getValue();
        private @Nullable EventIdExtractor<Object> idExtractor;
        private Unidentified unidentified = Unidentified.REFUSE;
        private @Nullable ConsumedEventCache cache;
        private InboxMetrics metrics = InboxMetrics.NOOP;

        private ConsumerBuilder(JdbcInbox inbox) {
            this.inbox = inbox;
        }

        /**
         * The name, which separates the marks of this consumer from those of others in the same database. Use one name
         * for each kind of effect, the same on all nodes. Default: {@value JdbcInbox#DEFAULT_CONSUMER}.
         */
        public ConsumerBuilder name(String name) {
            this.name = validName(name);
            return this;
        }

        /** The header that has the event id. Default: {@code outbox_event_id}. */
        public ConsumerBuilder idHeader(String idHeader) {
            Objects.requireNonNull(idHeader, "idHeader");
            if (idHeader.isBlank()) {
                throw new IllegalArgumentException("idHeader must not be blank");
            }
            this.idHeader = idHeader;
            return this;
        }

        /**
         * Finds the event id of every message that is consumed without an extractor, in place of the header. Default:
         * the {@linkplain #idHeader header}.
         */
        public ConsumerBuilder idExtractor(EventIdExtractor<Object> idExtractor) {
            this.idExtractor = Objects.requireNonNull(idExtractor, "idExtractor");
            return this;
        }

        /** Adds a reader for a kind of message; it comes before those that are there already. */
        public ConsumerBuilder headerReader(HeaderReader<?> reader) {
            this.readers.add(0, Objects.requireNonNull(reader, "reader"));
            return this;
        }

        /** What becomes of messages without a usable event id. Default: {@link Unidentified#REFUSE}. */
        public ConsumerBuilder unidentified(Unidentified unidentified) {
            this.unidentified = Objects.requireNonNull(unidentified, "unidentified");
            return this;
        }

        /** A cache that saves duplicates the way to the database. Default: none. */
        public ConsumerBuilder cache(ConsumedEventCache cache) {
            this.cache = Objects.requireNonNull(cache, "cache");
            return this;
        }

        /** Default: {@link InboxMetrics#NOOP}. */
        public ConsumerBuilder metrics(InboxMetrics metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Builds the consumer; the builder can be used again. */
        public OutboxIdempotentConsumer build() {
            return new IdempotentConsumer(this, inbox.transactions, ConsumedEvents.of(inbox.store, inbox.tableName));
        }

        String name() {
            return name;
        }

        @Nullable
        ConsumedEventCache cache() {
            return cache;
        }

        InboxMetrics metrics() {
            return metrics;
        }

        EventIds eventIds() {
            return new EventIds(idHeader, HeaderReaders.of(readers), idExtractor, unidentified);
        }
    }
}
