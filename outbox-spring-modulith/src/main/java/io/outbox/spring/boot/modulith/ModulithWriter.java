package io.outbox.spring.boot.modulith;

import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.OutboxWriter;
import io.outbox.spi.JsonCodec;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.ClassUtils;

/**
 * Writes published objects to the outbox, once for each receiver. A receiver is stored as subscriptions are: the event
 * type is {@code <class>#<receiver>}, and each row has its own attempts and its own end. Its beans are looked up when
 * an event is written, because listeners are made before them. Thread-safe.
 */
final class ModulithWriter {

    private final ObjectProvider<OutboxWriter> writer;
    private final ObjectProvider<JsonCodec> codec;

    ModulithWriter(ObjectProvider<OutboxWriter> writer, ObjectProvider<JsonCodec> codec) {
        this.writer = writer;
        this.codec = codec;
    }

    /**
     * Writes a row for one receiver, in the current transaction.
     *
     * @throws IllegalStateException if there is no transaction
     */
    void write(Object event, String receiver) {
        Class<?> type = ClassUtils.getUserClass(event);
        JsonCodec json = codec.getIfUnique(JsonCodec::getDefault);
        writer.getObject()
                .write(EventEnvelope.builder(storedType(type, receiver))
                        .header(EventClasses.HEADER, type.getName())
                        .payloadJson(json.toJson(event))
                        .build());
    }

    /** Returns the event type under which events of a class wait for a receiver. */
    static String storedType(Class<?> type, String receiver) {
        return EventType.nameOf(type) + '#' + receiver;
    }
}
