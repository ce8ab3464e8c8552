package io.outbox.spring.boot.modulith;

/** Writes events for Spring Modulith's transports, and refuses those that nobody would send. */
final class ToTransports {

    private final Transports transports;
    private final ModulithWriter writer;

    ToTransports(Transports transports, ModulithWriter writer) {
        this.transports = transports;
        this.writer = writer;
    }

    /** @throws IllegalStateException if the application has no transport */
    void write(String eventType, Object event) {
        if (transports.isEmpty()) {
            throw new IllegalStateException("Event type '" + eventType
                    + "' is externalized, but nothing would send it: name it below outbox.publisher.events, as other types"
                    + " are, or add one of Spring Modulith's transports");
        }
        writer.write(event, ExternalizationListener.NAME);
    }
}
