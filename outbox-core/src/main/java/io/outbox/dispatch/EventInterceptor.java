package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import java.util.Objects;

/** Wraps the dispatch of every event, for audit, logging, tracing and the like. Runs on the worker thread. */
public interface EventInterceptor {

    /** Called in registration order before the listener; throwing is a failed attempt and the listener is not called. */
    default void beforeDispatch(EventEnvelope event) throws Exception {}

    /**
     * Called in reverse order after the listener. What it throws is logged and changes nothing.
     *
     * @param error what the listener or an interceptor threw, or {@code null} on success
     */
    default void afterDispatch(EventEnvelope event, Exception error) {}

    /** Returns an interceptor that only acts before dispatch. */
    static EventInterceptor before(BeforeHook hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void beforeDispatch(EventEnvelope event) throws Exception {
                hook.beforeDispatch(event);
            }
        };
    }

    /** Returns an interceptor that only acts after dispatch. */
    static EventInterceptor after(AfterHook hook) {
        Objects.requireNonNull(hook, "hook");
        return new EventInterceptor() {
            @Override
            public void afterDispatch(EventEnvelope event, Exception error) {
                hook.afterDispatch(event, error);
            }
        };
    }

    /** See {@link EventInterceptor#beforeDispatch}. */
    @FunctionalInterface
    interface BeforeHook {
        void beforeDispatch(EventEnvelope event) throws Exception;
    }

    /** See {@link EventInterceptor#afterDispatch}. */
    @FunctionalInterface
    interface AfterHook {
        void afterDispatch(EventEnvelope event, Exception error);
    }
}
