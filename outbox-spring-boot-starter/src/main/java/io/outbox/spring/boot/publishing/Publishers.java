package io.outbox.spring.boot.publishing;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxProperties.Mode;
import java.util.function.Supplier;
import org.springframework.util.function.SingletonSupplier;

/** Makes the publishers of the application's outboxes, which know its classes and who receives its events. */
final class Publishers {

    private final ObjectEvents objects;
    private final Supplier<Destinations> destinations;

    /**
     * @param destinations asked once, when something is published, since listeners are found after the outboxes are
     * built
     */
    Publishers(ObjectEvents objects, Supplier<Destinations> destinations) {
        this.objects = objects;
        this.destinations = SingletonSupplier.of(destinations);
    }

    /**
     * Returns a publisher for an outbox.
     *
     * @param outbox its name; the empty text is that of the application's own
     * @param codec what makes payloads, or {@code null} for the default
     */
    OutboxPublisher of(String outbox, OutboxWriter writer, JsonCodec codec, Mode mode) {
        Supplier<Destinations> receivers =
                SingletonSupplier.of(() -> destinations.get().of(outbox));
        boolean delivers = mode != Mode.WRITER_ONLY;
        return new DefaultOutboxPublisher(delivers ? new KnownTypesWriter(writer, receivers) : writer, codec)
                .serializing(eventType -> receivers.get().serializer(eventType))
                .versioning(objects::version)
                .typing(objects::eventType, objects::draft);
    }
}
