package io.outbox.jdbc.wakeup;

import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears the notifications of a channel, on a thread and a connection that it keeps until it is closed.
 *
 * <p>It knows that it hears because it sends a message to itself, over the connections that hints are sent by: at the beginning,
 * and whenever nothing has come for a while. A connection that has become silent is made again at once, one that could not be
 * made after growing pauses, and one that was deaf from the beginning after minutes.
 *
 * <p>While the pool has no connection to send that message by, nothing is known about hearing. A connection that has
 * heard before is then kept for as long as it answers. A new one is given back, since it may be the only one of the
 * pool, and asked for again after pauses that grow to minutes.
 */
final class NotificationLoop implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(PostgresWakeUp.class.getName());
    private static final String PROBE = "probe:";
    private static final Duration DEAF = Duration.ofMinutes(5);
    /** How soon a wait notices that it is to end. */
    private static final int SLICE_MS = 250;

    private static final long LONGEST_CLOSE_MS = 2_000;

    private final DataSource dataSource;
    private final NotificationChannel channel;
    private final Notifier notifier;
    private final Consumer<String> listener;
    private final Times times;
    private final Outage outage;
    private final GrowingPause unreachable = new GrowingPause(Duration.ofMillis(100), Duration.ofSeconds(10));
    private final GrowingPause noneToSpare = new GrowingPause(Duration.ofSeconds(2), DEAF);
    private final String probe = PROBE + UUID.randomUUID();
    private final Thread thread = new DaemonThreadFactory("outbox-listen-").newThread(this);
    private volatile boolean connected;
    private volatile boolean closed;

    /**
     * @param silence after how long without a message hearing is tried
     * @param echo how long the message that tries it may take
     */
    record Times(Duration silence, Duration echo) {

        static final Times USUAL = new Times(Duration.ofSeconds(10), Duration.ofSeconds(2));
    }

    /** The pool has no connection to send by, besides the one that was to listen. */
    private static final class NoneToSpareException extends SQLException {

        private static final long serialVersionUID = 1L;

        NoneToSpareException() {
            super("Hints need a second connection, but the pool had none free: enlarge it by one, unless it was only"
                    + " busy for a moment");
        }
    }

    private NotificationLoop(
            DataSource dataSource,
            NotificationChannel channel,
            Notifier notifier,
            Consumer<String> listener,
            Times times) {
        this.dataSource = dataSource;
        this.channel = channel;
        this.notifier = notifier;
        this.listener = listener;
        this.times = times;
        this.outage = new Outage(
                LOG,
                Level.WARNING,
                "Table " + channel + ": Hints do not arrive; events are found by polling",
                "Table " + channel + ": Hints arrive again");
    }

    /** @param listener called with each message, and with an empty one whenever some may have been missed */
    static NotificationLoop start(
            DataSource dataSource,
            NotificationChannel channel,
            Notifier notifier,
            Consumer<String> listener,
            Times times) {
        NotificationLoop loop = new NotificationLoop(dataSource, channel, notifier, listener, times);
        loop.thread.start();
        return loop;
    }

    boolean isConnected() {
        return connected;
    }

    /** Ends the thread and gives the connection back, and waits for that unless the thread itself says so. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        if (Thread.currentThread() == thread) {
            return;
        }
        try {
            thread.join(LONGEST_CLOSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run() {
        while (!closed) {
            try {
                hearOnNewConnection();
            } catch (NoneToSpareException e) {
                failed(e, noneToSpare);
            } catch (SQLException | RuntimeException | Error e) {
                failed(e, unreachable);
            }
        }
    }

    private void failed(Throwable e, GrowingPause pause) {
        if (closed) {
            return;
        }
        outage.failed(e);
        try {
            Thread.sleep(pause.next().toMillis());
        } catch (InterruptedException interrupted) {
            LOG.log(Level.DEBUG, "Closed between two connections", interrupted);
        }
    }

    private void hearOnNewConnection() throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean usable = false;
            try {
                usable = hear(connection);
            } finally {
                connected = false;
                leave(connection, usable);
            }
        }
    }

    /** Hears until this is closed, or the connection hears no more; returns whether it may be used for something else. */
    private boolean hear(Connection connection) throws SQLException {
        execute(connection, "LISTEN " + channel.name(connection));
        PGConnection driver = connection.unwrap(PGConnection.class);
        listener.accept("");
        CompletableFuture<Boolean> sent = notifier.send(probe);
        if (!hears(driver, times.echo)) {
            if (closed) {
                return true;
            }
            reportDeafness(sent);
            if (!hears(driver, DEAF)) {
                return true;
            }
        }
        connected = true;
        unreachable.reset();
        noneToSpare.reset();
        outage.over();
        while (!closed) {
            if (!hears(driver, times.silence) && !closed && !hearsProbe(connection, driver)) {
                return closed;
            }
        }
        return true;
    }

    /** Returns whether a connection that has been silent hears, or at least answers while it cannot be tried. */
    private boolean hearsProbe(Connection connection, PGConnection driver) throws SQLException {
        CompletableFuture<Boolean> sent = notifier.send(probe);
        while (true) {
            boolean hasEnded = sent.isDone();
            if (hears(driver, times.echo)) {
                return true;
            }
            boolean wasSent = hasEnded && (sent.isCompletedExceptionally() || sent.join());
            if (closed || wasSent || !answers(connection)) {
                return false;
            }
            if (hasEnded) {
                return true; // no connection to send by; tried again after the next silence
            }
        }
    }

    private boolean answers(Connection connection) throws SQLException {
        if (!connection.isValid((int) Math.max(1, times.echo.toSeconds()))) {
            return false;
        }
        Notifier.commit(connection);
        return true;
    }

    /** Passes on what arrives; returns whether anything did within that time. */
    private boolean hears(PGConnection driver, Duration within) throws SQLException {
        long untilNanos = System.nanoTime() + within.toNanos();
        do {
            PGNotification[] arrived = driver.getNotifications(SLICE_MS);
            if (arrived != null && arrived.length > 0) {
                for (PGNotification notification : arrived) {
                    listener.accept(notification.getParameter());
                }
                return true;
            }
        } while (!closed && untilNanos - System.nanoTime() > 0);
        return false;
    }

    /** @throws SQLException if the message was not sent, so that nothing is known */
    private void reportDeafness(CompletableFuture<Boolean> sent) throws SQLException {
        if (sent.isCompletedExceptionally()) {
            throw new SQLException("Hints cannot be sent, so it is unknown whether they arrive");
        }
        if (!sent.isDone() || !sent.join()) {
            throw new NoneToSpareException();
        }
        outage.failed(new SQLException(
                "LISTEN was accepted, but no hint arrives, as with a pooler in transaction mode: receive hints over a"
                        + " direct connection to the database"));
    }

    private void leave(Connection connection, boolean usable) {
        try {
            if (!usable) {
                connection.abort(Runnable::run);
            }
            execute(connection, "UNLISTEN " + channel.name(connection));
        } catch (SQLException e) {
            LOG.log(Level.DEBUG, "The connection is given up", e);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        AnswerTimeout.bound(connection, () -> {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
            Notifier.commit(connection);
        });
    }
}
