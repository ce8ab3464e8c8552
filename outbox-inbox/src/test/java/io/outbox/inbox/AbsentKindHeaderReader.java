package io.outbox.inbox;

import io.outbox.spi.HeaderReader;

/**
 * Stands for a reader whose kind of message is not on the class path: every consumer of these tests has to do without
 * it.
 */
public final class AbsentKindHeaderReader implements HeaderReader<Void> {

    @Override
    public Class<Void> messageType() {
        throw new NoClassDefFoundError("a client that is not there");
    }

    @Override
    public Object header(Void message, String name) {
        throw new AssertionError();
    }
}
