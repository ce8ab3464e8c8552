package io.outbox.spring.boot.json;

import io.outbox.spi.JsonCodec;
import org.springframework.beans.factory.DisposableBean;

/** Makes the application's codec the one that {@code EventEnvelope.payload(Class)} uses, while the application runs. */
final class CodecAsDefault implements DisposableBean {

    private final JsonCodec codec;

    CodecAsDefault(JsonCodec codec) {
        this.codec = codec;
        JsonCodec.setDefault(codec);
    }

    /** Takes the codec back, unless another application of this JVM has set its own meanwhile. */
    @Override
    public void destroy() {
        try {
            if (JsonCodec.getDefault() == codec) {
                JsonCodec.setDefault(null);
            }
        } catch (IllegalStateException none) {
            // there is nothing to take back
        }
    }
}
