package io.outbox.spring.boot.publishing;

import io.outbox.DefaultOutboxPublisher;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxProperties.Mode;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.function.SingletonSupplier;

/** Makes the publishers of the application's outboxes, which know its classes and who receives its events. */
final class Publishers {

    private final ObjectEvents objects;
    private final ObjectProvider<JsonCodec> codec;
    private final Supplier<Destinations> destinations;

    /** @param destinations asked once, when something is published, since listeners are found after the outboxes are built */
    Publishers(ObjectEvents objects, ObjectProvider<JsonCodec> codec, Supplier<Destinations> destinations) {
        this.objects = objects;
        this.codec = codec;
        this.destinations = SingletonSupplier.of(destinations);
    }

    /** Returns a publisher for the application's own outbox. */
    OutboxPublisher of(OutboxWriter writer, Mode mode) {
        return publisher(writer, mode, destinations);
    }

    /** Returns a publisher for the outbox with this name. */
    OutboxPublisher of(String outbox, OutboxWriter writer, Mode mode) {
        return publisher(writer, mode, SingletonSupplier.of(() -> destinations.get().of(outbox)));
    }

    /** Returns a publisher that takes an event whether or not somebody receives it. */
    OutboxPublisher unchecked(OutboxWriter writer) {
        return publisher(writer, Mode.WRITER_ONLY, destinations);
    }

    private OutboxPublisher publisher(OutboxWriter writer, Mode mode, Supplier<Destinations> receivers) {
        boolean delivers = mode != Mode.WRITER_ONLY;
        return new DefaultOutboxPublisher(
                        delivers ? new KnownTypesWriter(writer, receivers) : writer, codec.getIfUnique())
                .serializing(eventType -> receivers.get().serializer(eventType))
                .versioning(objects::version)
                .typing(objects::eventType, objects::draft);
    }
}
