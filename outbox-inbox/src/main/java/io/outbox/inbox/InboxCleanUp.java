package io.outbox.inbox;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.Limits;
import io.outbox.store.Connections;
import io.outbox.upkeep.Chores;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Deletes the marks of consumers once they are old, in batches, each in its own transaction, until no old one is left.
 * An event whose mark is gone would have its effect again; so keep marks for longer than any message can come again.
 * The age is counted on the database's clock. Marks of other consumers stay: each consumer decides for itself.
 * Thread-safe.
 */
public final class InboxCleanUp implements AutoCloseable {

    public static final Duration DEFAULT_TTL = Duration.ofHours(24);
    public static final int DEFAULT_BATCH_SIZE = 100;
    public static final Duration DEFAULT_INITIAL_DELAY = Duration.ofSeconds(120);
    public static final Duration DEFAULT_FIXED_DELAY = Duration.ofSeconds(5);

    private static final System.Logger LOG = System.getLogger(InboxCleanUp.class.getName());

    private final ConnectionProvider connections;
    private final ConsumedEvents marks;
    private final Supplier<? extends Collection<String>> consumers;
    private final Duration ttl;
    private final int batchSize;
    private final Duration initialDelay;
    private final Duration fixedDelay;
    private final ConsumerMetrics metrics;
    private final Chores chores = new Chores("clean-up", "outbox-inbox-clean-up-");
    private final Outage outage = new Outage(
            LOG,
            Level.ERROR,
            "The clean-up of consumed events failed; every run tries again",
            "The clean-up of consumed events works again");

    private InboxCleanUp(Builder builder) {
        this.connections = builder.connections;
        this.marks = builder.marks;
        this.consumers = builder.consumers;
        this.ttl = builder.ttl;
        this.batchSize = builder.batchSize;
        this.initialDelay = builder.initialDelay;
        this.fixedDelay = builder.fixedDelay;
        this.metrics = new ConsumerMetrics(builder.metrics);
    }

    /** Starts the schedule, unless it was started already. */
    public void start() {
        chores.start(() -> chores.repeat(initialDelay, fixedDelay, this::runOnce));
    }

    /** Deletes all marks that are old now, unless it is closed. Failures are logged; the next run tries again. */
    public void runOnce() {
        try {
            if (clean(List.copyOf(consumers.get()))) {
                outage.over();
            }
        } catch (RuntimeException e) {
            outage.failed("The consumers to clean up after are not known; the next run asks again", e);
        }
    }

    /** Returns whether it could. However many consumers there are, those without old marks cost one question. */
    private boolean clean(List<String> names) {
        if (names.isEmpty() || chores.isClosed()) {
            return true;
        }
        boolean isClean = true;
        try (Connection conn = Connections.open(connections)) {
            boolean autoCommit = conn.getAutoCommit();
            conn.setAutoCommit(true);
            try {
                Instant before = marks.currentTime(conn).minus(ttl);
                for (String consumer : marks.consumersBefore(conn, names, before)) {
                    isClean &= chores.isClosed() || clean(conn, consumer, before);
                }
            } finally {
                conn.setAutoCommit(autoCommit);
            }
        } catch (SQLException | RuntimeException | Error e) {
            outage.failed(e);
            return false;
        }
        return isClean;
    }

    /** Returns whether it could; the marks of other consumers are deleted in any case. */
    private boolean clean(Connection conn, String consumer, Instant before) {
        long cleaned = 0;
        boolean isClean = false;
        try {
            int deleted;
            do {
                deleted = marks.deleteBefore(conn, consumer, before, batchSize);
                cleaned += deleted;
            } while (deleted >= batchSize && !chores.isClosed());
            isClean = true;
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
        if (cleaned > 0) {
            metrics.cleaned(cleaned);
            LOG.log(Level.DEBUG, "Deleted {0} marks of consumer {1} older than {2}", cleaned, consumer, ttl);
        }
        return isClean;
    }

    /** Stops the schedule; a run that is under way ends after its current batch. */
    @Override
    public void close() {
        chores.close();
    }

    /** Builds an {@link InboxCleanUp}. Not thread-safe. */
    public static final class Builder {

        private final ConnectionProvider connections;
        private final ConsumedEvents marks;
        private Supplier<? extends Collection<String>> consumers = () -> List.of(JdbcInbox.DEFAULT_CONSUMER);
        private Duration ttl = DEFAULT_TTL;
        private int batchSize = DEFAULT_BATCH_SIZE;
        private Duration initialDelay = DEFAULT_INITIAL_DELAY;
        private Duration fixedDelay = DEFAULT_FIXED_DELAY;
        private InboxMetrics metrics = InboxMetrics.NOOP;

        Builder(ConnectionProvider connections, ConsumedEvents marks) {
            this.connections = connections;
            this.marks = marks;
        }

        /** The consumer whose marks are deleted. Default: {@value JdbcInbox#DEFAULT_CONSUMER}. */
        public Builder consumer(String name) {
            return consumers(List.of(name));
        }

        /** The consumers whose marks are deleted, one after the other and by the same rules. */
        public Builder consumers(Collection<String> names) {
            List<String> valid = names.stream().map(JdbcInbox::validName).toList();
            return consumers(() -> valid);
        }

        /**
         * The consumers whose marks are deleted. The supplier is called in each run, for consumers that are not known
         * yet.
         */
        public Builder consumers(Supplier<? extends Collection<String>> names) {
            this.consumers = Objects.requireNonNull(names, "names");
            return this;
        }

        /** How long marks are kept. Default: 24 hours. */
        public Builder ttl(Duration ttl) {
            this.ttl = Limits.positive(ttl, "ttl");
            return this;
        }

        /** How many marks one transaction deletes. Default: {@value InboxCleanUp#DEFAULT_BATCH_SIZE}. */
        public Builder batchSize(int batchSize) {
            this.batchSize = Limits.atLeastOne(batchSize, "batchSize");
            return this;
        }

        /** The time from the start to the first run. Default: 120 seconds. */
        public Builder initialDelay(Duration initialDelay) {
            this.initialDelay = Limits.notNegative(initialDelay, "initialDelay");
            return this;
        }

        /** The time between the end of a run and the next one. Default: 5 seconds. */
        public Builder fixedDelay(Duration fixedDelay) {
            this.fixedDelay = Limits.atLeastAMillisecond(fixedDelay, "fixedDelay");
            return this;
        }

        /** Default: {@link InboxMetrics#NOOP}. */
        public Builder metrics(InboxMetrics metrics) {
            this.metrics = Objects.requireNonNull(metrics, "metrics");
            return this;
        }

        /** Builds the clean-up; {@link InboxCleanUp#start()} sets it going. The builder can be used again. */
        public InboxCleanUp build() {
            return new InboxCleanUp(this);
        }
    }
}
