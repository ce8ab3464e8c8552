package io.outbox.spring.boot.internal.delivery;

import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Polling;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Purge;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Workers;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** The line in the log that tells what an outbox is about to do. Logged once. */
final class StartupLine {

    private static final System.Logger LOG = System.getLogger("io.outbox");

    private final String name;
    private final OutboxSettings settings;
    private final ListenerRegistry listeners;
    private final Set<String> lanes;
    private final AtomicBoolean logged = new AtomicBoolean();

    /** @param name the outbox's name, or the empty text */
    StartupLine(String name, OutboxSettings settings, ListenerRegistry listeners, Set<String> lanes) {
        this.name = name;
        this.settings = settings;
        this.listeners = listeners;
        this.lanes = lanes;
    }

    void log(State state) {
        if (logged.compareAndSet(false, true)) {
            LOG.log(Level.INFO, () -> text(state));
        }
    }

    String text(State state) {
        String outbox = (name.isEmpty() ? "Outbox" : "Outbox '" + name + "'") + " in "
                + settings.table().place() + ": mode " + settings.modeName();
        return outbox + delivery(state) + "; "
                + settings.purge().map(this::purge).orElse("no purge");
    }

    private String delivery(State state) {
        Polling polling = settings.delivery().polling();
        Workers workers = settings.delivery().workers();
        String how = switch (settings.mode()) {
            case WRITER_ONLY -> null;
            case ORDERED -> ", polling every " + DurationText.of(polling.interval());
            case SINGLE_NODE, MULTI_NODE ->
                ", " + workers.count() + " workers, " + workers.maxAttempts() + " attempts, polling every "
                        + DurationText.of(polling.interval());
        };
        if (how == null) {
            return "";
        }
        String notYet = state == State.NOT_STARTED ? ", delivery not started" : "";
        return how + notYet + "; listeners for " + listened() + (lanes.isEmpty() ? "" : "; lanes " + lanes);
    }

    private Object listened() {
        return listeners instanceof DefaultListenerRegistry known
                ? known.eventTypes()
                : "all event types of " + listeners.getClass().getName();
    }

    private String purge(Purge purge) {
        if (purge.retention().isZero() && settings.mode() != Mode.WRITER_ONLY) {
            return "finished events deleted immediately, DEAD ones kept until they are replayed";
        }
        String kept = purge.keepsDead() ? ", DEAD ones until they are replayed" : "";
        return "finished events kept for " + DurationText.of(purge.retention()) + kept;
    }
}
