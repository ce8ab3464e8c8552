package io.outbox;

import java.util.Objects;

/** A listener with its own fallback. */
final class FallbackListener extends ForwardingListener {

    private final EventFallback fallback;

    private FallbackListener(EventFallback fallback, EventListener listener) {
        super(listener);
        this.fallback = fallback;
    }

    static EventListener of(EventFallback fallback, EventListener listener) {
        Objects.requireNonNull(fallback, "fallback");
        return listener instanceof BatchEventListener batching
                ? new Batching(fallback, batching)
                : new FallbackListener(fallback, listener);
    }

    @Override
    public EventFallback fallback() {
        return fallback;
    }

    /** A batch listener with its own fallback. */
    private static final class Batching extends ForwardingBatchListener {

        private final EventFallback fallback;

        private Batching(EventFallback fallback, BatchEventListener listener) {
            super(listener);
            this.fallback = fallback;
        }

        @Override
        public EventFallback fallback() {
            return fallback;
        }
    }
}
