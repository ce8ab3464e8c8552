package io.outbox.spi;

import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/** The default {@link JsonCodec} of this JVM. */
final class JsonCodecHolder {

    private static volatile @Nullable JsonCodec chosen;
    private static volatile @Nullable JsonCodec discovered;

    private JsonCodecHolder() {}

    static JsonCodec get() {
        JsonCodec codec = chosen != null ? chosen : discovered;
        return codec != null ? codec : discover();
    }

    static void set(@Nullable JsonCodec codec) {
        chosen = codec;
    }

    private static synchronized JsonCodec discover() {
        JsonCodec found = discovered;
        if (found == null) {
            found = ServiceLoader.load(JsonCodec.class)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("No JsonCodec found: add outbox-gson to the class"
                            + " path, or call JsonCodec.setDefault(codec) at start-up"));
            discovered = found;
        }
        return found;
    }
}
