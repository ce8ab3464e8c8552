package io.outbox.spi;

import java.util.Map;

/**
 * Carries what a thread knows, such as a trace, a tenant or the fields of its log, from the write of an event to its
 * listener. Thread-safe. What it throws is logged; the event is written and delivered without that context.
 *
 * <p>The context travels in headers of the event: it is stored with it, and publishers send it along like any other
 * header. One field of SLF4J's {@code MDC}, for example:
 *
 * <pre>{@code
 * final class RequestIdInLog implements ContextPropagator {
 *     private static final String FIELD = "requestId";
 *
 *     public Map<String, String> capture() {
 *         String id = MDC.get(FIELD);
 *         return id == null ? Map.of() : Map.of(FIELD, id);
 *     }
 *
 *     public Scope restore(Map<String, String> headers) {
 *         String id = headers.get(FIELD);
 *         return id == null ? () -> {} : MDC.putCloseable(FIELD, id)::close;
 *     }
 * }
 * }</pre>
 */
public interface ContextPropagator {

    /**
     * Returns what is to be remembered of the calling thread's context, as headers for the events that it is about to
     * write; may be empty. Called once per write, on the writing thread. A header that an event
     * has already stays as it is, and one without a value is left out.
     */
    Map<String, String> capture();

    /**
     * Puts the calling thread into the context that an event's headers tell of, which may be none: events of other
     * writers come here, too. Called on the thread of the listener, at every attempt, and around interceptors and
     * listener together. A {@link io.outbox.BatchEventListener} is called outside of any context, since its events come
     * from several; only the interceptors are called in that of their event. Such a listener can restore each by
     * itself.
     *
     * @param headers the event's headers, unmodifiable
     * @return what ends the context again
     */
    Scope restore(Map<String, String> headers);

    /** A context in force. */
    @FunctionalInterface
    interface Scope extends AutoCloseable {

        /** Returns the thread to the context it had before; called on the thread that restored, the last one first. */
        @Override
        void close();
    }
}
