package io.outbox.spring.boot.json;

import io.outbox.spi.JsonCodec;

/**
 * Stands for several codecs of which none is primary: the application starts, and is told where it needs one of them.
 */
final class AmbiguousJsonCodec implements JsonCodec {

    private final String[] names;

    AmbiguousJsonCodec(String... names) {
        this.names = names;
    }

    @Override
    public String toJson(Object obj) {
        throw undecided();
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
        throw undecided();
    }

    private IllegalStateException undecided() {
        return new IllegalStateException("There are several JsonCodec beans (" + String.join(", ", names)
                + "), so payloads cannot be written or read: mark one of them with @Primary");
    }
}
