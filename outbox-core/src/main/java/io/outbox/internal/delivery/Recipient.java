package io.outbox.internal.delivery;

import io.outbox.BatchEventListener;
import io.outbox.EventListener;

/**
 * Who gets events of one route on this node.
 *
 * @param listener {@code null} if there is none
 * @param failure why nobody knows whether there is one, or {@code null}
 */
record Recipient(EventListener listener, Throwable failure) {

    /** Returns whether nobody here listens. */
    boolean isMissing() {
        return listener == null && failure == null;
    }

    /** Returns how many events of the route the listener takes at once. */
    int batchSize() {
        try {
            return listener instanceof BatchEventListener batching ? batching.maxBatchSize() : 1;
        } catch (Throwable e) {
            return 1; // a listener that cannot tell gets them one by one
        }
    }
}
