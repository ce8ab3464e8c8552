package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import io.outbox.model.DlqStatus;
import java.util.Locale;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** The meters of a dead letter queue. They come with its first letter, so that an outbox without one has none. */
final class DeadLetterMeters {

    private record Kind(String eventType, DlqStatus status) {}

    private final Meters meters;
    private final ConcurrentMap<Kind, Counter> changes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> operations = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> transfers = new ConcurrentHashMap<>();

    DeadLetterMeters(Meters meters) {
        this.meters = meters;
    }

    void changed(String eventType, DlqStatus status, int count) {
        changes.computeIfAbsent(new Kind(eventType, status), this::change).increment(count);
    }

    private Counter change(Kind kind) {
        return meters.counter(
                "dlq.events.rate",
                "Dead letters that came into a state",
                "event.type",
                kind.eventType,
                "status",
                kind.status.name().toLowerCase(Locale.ROOT));
    }

    void movedToDlq(int attempted, int moved) {
        operation("events.by.type.rate", "attempt_move_to_dlq", attempted);
        operation("events.by.type.rate", "success_moved_to_dlq", moved);
    }

    void returnedToOutbox(int attempted, int returned) {
        operation("dlq.events.by.type.rate", "attempt_move_to_outbox", attempted);
        operation("dlq.events.by.type.rate", "success_moved_to_outbox", returned);
    }

    void deleted(int count) {
        operation("dlq.events.by.type.rate", "manual_deleted", count);
    }

    private void operation(String name, String type, int count) {
        String description = "Dead letters that were moved, returned or deleted";
        operations
                .computeIfAbsent(type, each -> meters.counter(name, description, "type", each))
                .increment(count);
    }

    void transferredTo(long millis) {
        transfer("dlq.transfer.to.duration", "Time of a transfer to the dead letters", millis);
    }

    void transferredFrom(long millis) {
        transfer("dlq.transfer.from.duration", "Time of a transfer back to the outbox", millis);
    }

    private void transfer(String name, String description, long millis) {
        transfers.computeIfAbsent(name, each -> meters.timer(each, description)).record(millis, TimeUnit.MILLISECONDS);
    }
}
