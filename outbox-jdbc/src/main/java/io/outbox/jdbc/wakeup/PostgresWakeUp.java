package io.outbox.jdbc.wakeup;

import io.outbox.spi.MetricsExporter;
import io.outbox.spi.WakeUp;
import io.outbox.upkeep.HintCounts;
import io.outbox.upkeep.HintDebounce;
import io.outbox.upkeep.HintListeners;
import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.sql.DataSource;

/**
 * Hints by PostgreSQL's {@code NOTIFY} and {@code LISTEN}, on a channel of the outbox table's own.
 *
 * <p>Hints are sent in transactions of their own after the commit, never in one of the application: PostgreSQL takes
 * one lock for the whole server at the commit of a transaction that notifies. A burst of them becomes one notification
 * every 5 to 100 ms. Sending borrows a connection for a moment; listening keeps one for as long as somebody listens, so
 * the pool needs one more. Both have a thread, which ends when it has nothing to do; there is nothing to close.
 * Thread-safe.
 *
 * <p>A pooler in transaction mode accepts {@code LISTEN} and lets nothing through. So does a connection that is dead
 * without having been closed. Whether notifications arrive is therefore tried, at the beginning and after each 10 s of
 * silence; while they do not, {@link #isConnected()} is false and events are found by polling.
 */
public final class PostgresWakeUp implements WakeUp {

    private static final String HINT = "hint:";
    private static final String SEPARATOR = ",";
    private static final int LONGEST_HINT = 200;

    private final Notifier notifier;
    private final HintDebounce debounce;
    private final HintListeners listeners = new HintListeners();
    private final HintCounts counts = new HintCounts();
    private final DataSource listenOn;
    private final NotificationChannel channel;
    private final NotificationLoop.Times times;
    private NotificationLoop loop;

    PostgresWakeUp(DataSource dataSource, DataSource listenOn, String tableName, NotificationLoop.Times times) {
        Objects.requireNonNull(dataSource, "dataSource");
        this.times = times;
        this.listenOn = Objects.requireNonNull(listenOn, "listenOn");
        this.channel = new NotificationChannel(tableName);
        this.notifier = new Notifier(dataSource, channel);
        this.debounce = new HintDebounce(notifier::later, this::send);
    }

    /** Sends and hears hints by connections of this data source, which should hand out at least two. */
    public static PostgresWakeUp of(DataSource dataSource, String tableName) {
        return of(dataSource, tableName, dataSource);
    }

    /**
     * As {@link #of(DataSource, String)}, hearing them by a connection of another data source to the same database: a
     * direct one, where the first goes through a pooler in transaction mode.
     */
    public static PostgresWakeUp of(DataSource dataSource, String tableName, DataSource listenOn) {
        return new PostgresWakeUp(dataSource, listenOn, tableName, NotificationLoop.Times.USUAL);
    }

    @Override
    public void signal(Set<String> eventTypes) {
        debounce.signal(eventTypes);
    }

    private void send(Set<String> eventTypes) {
        notifier.send(HINT + textOf(eventTypes)).thenAccept(sending -> {
            if (sending.failure() == null) {
                counts.sent();
            } else {
                counts.dropped();
            }
        });
    }

    private static String textOf(Set<String> eventTypes) {
        String types = String.join(SEPARATOR, eventTypes);
        boolean isPlain =
                types.length() <= LONGEST_HINT && eventTypes.stream().noneMatch(type -> type.contains(SEPARATOR));
        return isPlain ? types : "";
    }

    @Override
    public synchronized Listening listen(Consumer<Set<String>> listener) {
        listeners.add(listener);
        if (loop == null) {
            loop = NotificationLoop.start(listenOn, channel, notifier, this::heard, times);
        } else if (loop.isConnected()) {
            listeners.tell(listener, Set.of());
        }
        return () -> leave(listener);
    }

    private void leave(Consumer<Set<String>> listener) {
        NotificationLoop last = null;
        synchronized (this) {
            if (listeners.remove(listener) && listeners.isEmpty()) {
                last = loop;
                loop = null;
            }
        }
        if (last != null) {
            last.close();
        }
    }

    /** Passes on a message; an empty one says that some may have been missed. */
    private void heard(String message) {
        if (message.isEmpty()) {
            listeners.call(Set.of());
        } else if (message.startsWith(HINT)) {
            counts.heard();
            listeners.call(Arrays.stream(message.substring(HINT.length()).split(SEPARATOR))
                    .filter(type -> !type.isEmpty())
                    .collect(Collectors.toUnmodifiableSet()));
        }
    }

    @Override
    public void reportTo(MetricsExporter metrics) {
        counts.reportTo(metrics);
    }

    @Override
    public synchronized boolean isConnected() {
        return loop != null && loop.isConnected();
    }
}
