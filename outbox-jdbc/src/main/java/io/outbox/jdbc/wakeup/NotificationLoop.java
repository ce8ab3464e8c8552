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
 */
final class NotificationLoop implements Runnable, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(PostgresWakeUp.class.getName());
    private static final String PROBE = "probe:";
    private static final Duration ECHO = Duration.ofSeconds(2);
    private static final Duration SILENCE = Duration.ofSeconds(10);
    private static final Duration DEAF = Duration.ofMinutes(5);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);
    /** How soon a wait notices that it is to end. */
    private static final int SLICE_MS = 250;

    private static final long LONGEST_CLOSE_MS = 2_000;

    private final DataSource dataSource;
    private final NotificationChannel channel;
    private final Notifier notifier;
    private final Consumer<String> listener;
    private final Outage outage;
    private final String probe = PROBE + UUID.randomUUID();
    private final Thread thread = new DaemonThreadFactory("outbox-listen-").newThread(this);
    private Duration pause = FIRST_PAUSE;
    private volatile boolean connected;
    private volatile boolean closed;

    private NotificationLoop(
            DataSource dataSource, NotificationChannel channel, Notifier notifier, Consumer<String> listener) {
        this.dataSource = dataSource;
        this.channel = channel;
        this.notifier = notifier;
        this.listener = listener;
        this.outage = new Outage(
                LOG,
                Level.WARNING,
                "Table " + channel + ": Hints do not arrive; events are found by polling",
                "Table " + channel + ": Hints arrive again");
    }

    /** @param listener called with each message, and with an empty one whenever some may have been missed */
    static NotificationLoop start(
            DataSource dataSource, NotificationChannel channel, Notifier notifier, Consumer<String> listener) {
        NotificationLoop loop = new NotificationLoop(dataSource, channel, notifier, listener);
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
            } catch (SQLException | RuntimeException | Error e) {
                if (!closed) {
                    outage.failed(e);
                    pause();
                }
            }
        }
    }

    private void pause() {
        Duration now = pause;
        Duration twice = now.multipliedBy(2);
        pause = twice.compareTo(LONGEST_PAUSE) < 0 ? twice : LONGEST_PAUSE;
        try {
            Thread.sleep(now.toMillis());
        } catch (InterruptedException e) {
            LOG.log(Level.DEBUG, "Closed between two connections", e);
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
        CompletableFuture<Void> sent = notifier.send(probe);
        if (!hears(driver, ECHO)) {
            if (closed) {
                return true;
            }
            reportDeafness(sent);
            if (!hears(driver, DEAF)) {
                return true;
            }
        }
        connected = true;
        pause = FIRST_PAUSE;
        outage.over();
        while (!closed) {
            if (!hears(driver, SILENCE) && !closed) {
                notifier.send(probe);
                if (!hears(driver, ECHO)) {
                    return closed;
                }
            }
        }
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
    private void reportDeafness(CompletableFuture<Void> sent) throws SQLException {
        if (sent.isCompletedExceptionally()) {
            throw new SQLException("Whether hints arrive cannot be tried, since they cannot be sent");
        }
        if (!sent.isDone()) {
            pause = DEAF;
            throw new SQLException("Hints need a second connection, and the pool has none to spare: enlarge it by one");
        }
        outage.failed(new SQLException(
                "LISTEN was accepted and hears nothing, as through a pooler in transaction mode: let hints be heard by a"
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
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
        Notifier.commit(connection);
    }
}
