package io.outbox.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.outbox.model.DlqStatus;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;

/** The meters of a dead letter queue. They come with its first letter, so that an outbox without one has none. */
final class DeadLetterMeters {

    private record Kind(String eventType, DlqStatus status) {}

    private final MeterRegistry registry;
    private final String prefix;
    private final Queue<Meter> meters;
    private final ConcurrentMap<Kind, Counter> changes = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Counter> operations = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Timer> transfers = new ConcurrentHashMap<>();

    /** @param meters where meters are put that are created here */
    DeadLetterMeters(MeterRegistry registry, String prefix, Queue<Meter> meters) {
        this.registry = registry;
        this.prefix = prefix;
        this.meters = meters;
    }

    void changed(String eventType, DlqStatus status, int count) {
        changes.computeIfAbsent(new Kind(eventType, status), this::change).increment(count);
    }

    private Counter change(Kind kind) {
        return keep(Counter.builder(prefix + ".dlq.events.rate")
                .description("Dead letters that came into a state")
                .tag("event.type", kind.eventType)
                .tag("status", kind.status.name().toLowerCase(Locale.ROOT))
                .register(registry));
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
        operations
                .computeIfAbsent(
                        type,
                        each -> keep(Counter.builder(prefix + "." + name)
                                .description("Dead letters that were moved, returned or deleted")
                                .tag("type", each)
                                .register(registry)))
                .increment(count);
    }

    void transferredTo(long millis) {
        transfer("dlq.transfer.to.duration", "Time of a transfer to the dead letters", millis);
    }

    void transferredFrom(long millis) {
        transfer("dlq.transfer.from.duration", "Time of a transfer back to the outbox", millis);
    }

    private void transfer(String name, String description, long millis) {
        transfers
                .computeIfAbsent(
                        name,
                        each -> keep(Timer.builder(prefix + "." + each)
                                .description(description)
                                .register(registry)))
                .record(millis, TimeUnit.MILLISECONDS);
    }

    private <M extends Meter> M keep(M meter) {
        meters.add(meter);
        return meter;
    }
}
