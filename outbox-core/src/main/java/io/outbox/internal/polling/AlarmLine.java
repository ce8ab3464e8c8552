package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import io.outbox.spi.WakeUp;
import java.time.Instant;
import java.util.Set;

/**
 * The line from whoever knows of due events to the poller, which may be connected later, or never. What this node may
 * not get to at once is told to the others too, if there is a way to tell them.
 */
public final class AlarmLine implements Alarm {

    private final WakeUp others;
    private volatile Alarm poller;

    /** Creates a line that ends at this node's poller. */
    public AlarmLine() {
        this(null);
    }

    /** @param others how to tell other nodes, or {@code null} if there is no way */
    public AlarmLine(WakeUp others) {
        this.others = others;
    }

    /** Connects the poller at the other end. */
    public void connect(Alarm alarm) {
        poller = alarm;
    }

    @Override
    public void dueAt(EventTypes types, Instant due) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueAt(types, due);
        }
    }

    @Override
    public void dueNow(EventTypes types) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueNow(types);
        }
        dueElsewhere(types);
    }

    @Override
    public void dueSoon(EventTypes types) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueSoon(types);
        }
        dueElsewhere(types);
    }

    @Override
    public void dueIn(EventTypes types, long delayMs) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueIn(types, delayMs);
        }
    }

    @Override
    public void leftBehind(EventTypes types, String holder) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.leftBehind(types, holder);
        }
    }

    @Override
    public void dueElsewhere(EventTypes types) {
        if (others != null) {
            others.signal(types.excluded() ? Set.of() : Set.copyOf(types.names()));
        }
    }
}
