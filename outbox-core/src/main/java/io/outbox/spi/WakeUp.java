package io.outbox.spi;

import java.util.Set;
import java.util.function.Consumer;

/**
 * Carries hints that events may be due to the outboxes that deliver from a store, so that they need not wait for their
 * next poll: from an outbox that only writes, from a node that has no room, or that gives events back.
 *
 * <p>A hint may be lost, late, repeated, wrong or merged with others: nothing depends on it but the time until the next
 * look into the store. It is sent after events have become visible, on no connection of the business transaction.
 * Thread-safe.
 */
public interface WakeUp {

    /** No hints: events are found by polling. */
    WakeUp NONE = new WakeUp() {
        @Override
        public void signal(Set<String> eventTypes) {}

        @Override
        public Listening listen(Consumer<Set<String>> listener) {
            return () -> {};
        }

        @Override
        public boolean isConnected() {
            return false;
        }
    };

    /**
     * Notifies all listeners on the store that events of these types may be due; an empty collection means any type.
     * Never blocks, never throws.
     */
    void signal(Set<String> eventTypes);

    /**
     * Calls the listener for each hint until the result is closed, on a thread of the transport, which it must not
     * block; also once whenever the transport has connected, for what was missed.
     */
    Listening listen(Consumer<Set<String>> listener);

    /** Returns whether hints arrive at present, as far as is known. */
    boolean isConnected();

    /**
     * Reports to these metrics each message that is sent, dropped or heard from now on; again with the same metrics
     * changes nothing. Called by each outbox that is built with this transport. Default: reports nothing.
     */
    default void reportTo(MetricsExporter metrics) {}

    /** A listener that is called until this is closed. */
    interface Listening extends AutoCloseable {
        @Override
        void close();
    }
}
