package io.outbox.internal.polling;

import io.outbox.spi.EventTypes;
import java.time.Instant;

/** The line from whoever knows of due events to the poller, which may be connected later, or never. */
public final class AlarmLine implements Alarm {

    private volatile Alarm poller;

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
    }

    @Override
    public void dueSoon(EventTypes types) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueSoon(types);
        }
    }

    @Override
    public void dueIn(EventTypes types, long delayMs) {
        Alarm alarm = poller;
        if (alarm != null) {
            alarm.dueIn(types, delayMs);
        }
    }
}
