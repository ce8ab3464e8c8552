package io.outbox.spi;

import java.util.ServiceLoader;

/** The default {@link JsonCodec} of this JVM. */
final class JsonCodecHolder {

    private static volatile JsonCodec chosen;
    private static volatile JsonCodec discovered;

    private JsonCodecHolder() {}

    static JsonCodec get() {
        JsonCodec codec = chosen != null ? chosen : discovered;
        return codec != null ? codec : discover();
    }

    static void set(JsonCodec codec) {
        chosen = codec;
    }

    private static synchronized JsonCodec discover() {
        if (discovered == null) {
            discovered = ServiceLoader.load(JsonCodec.class)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("No JsonCodec found: add outbox-gson to the class"
                            + " path, or call JsonCodec.setDefault(codec) at start-up"));
        }
        return discovered;
    }
}
