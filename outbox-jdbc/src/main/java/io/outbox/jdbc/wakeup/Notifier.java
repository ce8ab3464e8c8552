package io.outbox.jdbc.wakeup;

import io.outbox.jdbc.internal.FreshPlan;
import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/**
 * Sends notifications, one after the other, on a thread that ends when there have been none for a while. Thread-safe.
 */
final class Notifier {

    private static final System.Logger LOG = System.getLogger(PostgresWakeUp.class.getName());
    private static final long IDLE_SECONDS = 10;
    private static final int UNREMARKABLE = 2;
    private static final String READ_ONLY = "25006";
    /**
     * Nobody needs to know that a notification survived a crash of the server, so its commit does not wait for the
     * disk.
     */
    private static final String NOTIFY = "SELECT set_config('synchronous_commit', 'off', true), pg_notify(?, ?)";

    private final DataSource dataSource;
    private final NotificationChannel channel;
    private final ScheduledThreadPoolExecutor thread;
    private final Outage outage;
    /** How many hints in a row were not sent; for the thread only. */
    private int failures;

    Notifier(DataSource dataSource, NotificationChannel channel) {
        this.dataSource = dataSource;
        this.channel = channel;
        this.outage = new Outage(
                LOG,
                Level.WARNING,
                "Table " + channel + ": Hints cannot be sent; other nodes find events by their next poll",
                "Table " + channel + ": Hints are sent again");
        this.thread = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-notify-"));
        thread.setKeepAliveTime(IDLE_SECONDS, TimeUnit.SECONDS);
        thread.allowCoreThreadTimeOut(true);
    }

    /** Runs something later, after what is to be sent before. */
    void later(long nanos, Runnable task) {
        thread.schedule(task, nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * What became of a message.
     *
     * @param hadConnection whether there was a connection to send it by
     * @param failure why it was not sent, or {@code null} if it was
     */
    record Sending(boolean hadConnection, Throwable failure) {}

    /** Sends a message soon, and logs if that fails. */
    CompletableFuture<Sending> send(String message) {
        return CompletableFuture.supplyAsync(() -> sendNow(message), thread);
    }

    private Sending sendNow(String message) {
        boolean isConnected = false;
        try (Connection connection = dataSource.getConnection()) {
            isConnected = true;
            AnswerTimeout.bound(connection, () -> notify(connection, message));
            failures = 0;
            outage.over();
            return new Sending(true, null);
        } catch (SQLException | RuntimeException | Error e) {
            failed(e);
            return new Sending(isConnected, e);
        }
    }

    /** A connection that cannot notify, as one to a standby, goes back to the pool closed. */
    private void notify(Connection connection, String message) throws SQLException {
        try (PreparedStatement notify = connection.prepareStatement(NOTIFY)) {
            FreshPlan.request(notify);
            notify.setString(1, channel.name(connection));
            notify.setString(2, message);
            notify.execute();
            commit(connection);
        } catch (SQLException e) {
            if (READ_ONLY.equals(e.getSQLState())) {
                connection.abort(Runnable::run);
            }
            throw e;
        }
    }

    /** A lost hint or two are no matter: an application that ends may close its pool before the last of them. */
    private void failed(Throwable e) {
        failures++;
        if (failures <= UNREMARKABLE) {
            LOG.log(Level.DEBUG, "A hint was not sent", e);
        } else {
            outage.failed(e);
        }
    }

    /** Ends the transaction that a connection without auto-commit has begun. */
    static void commit(Connection connection) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.commit();
        }
    }
}
