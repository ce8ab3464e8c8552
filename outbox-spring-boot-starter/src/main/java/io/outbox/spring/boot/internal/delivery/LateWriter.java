package io.outbox.spring.boot.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import java.util.List;
import java.util.function.Supplier;

/**
 * The writer of an outbox that may not be there yet: interceptors, hooks and listeners, which the outbox is built from,
 * can write events themselves.
 */
final class LateWriter implements OutboxWriter {

    private final Supplier<Outbox> outbox;

    LateWriter(Supplier<Outbox> outbox) {
        this.outbox = outbox;
    }

    @Override
    public String write(EventEnvelope event) {
        return writer().write(event);
    }

    @Override
    public List<String> writeAll(List<EventEnvelope> events) {
        return writer().writeAll(events);
    }

    /** Returns the outbox, which is built for it if there is none yet. */
    Outbox outbox() {
        return outbox.get();
    }

    private OutboxWriter writer() {
        return outbox().writer();
    }
}
