package io.outbox.dispatch;

import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Wraps the dispatch of every event, for audit, logging, tracing and the like. Runs on the worker thread, at every
 * attempt.
 *
 * <p>The outbox calls the methods with a {@link DeliveryInfo}, which call those without unless they are overridden.
 */
public interface EventInterceptor {

    /**
     * Called in registration order before the listener; throwing is a failed attempt and the listener is not called.
     */
    default void beforeDispatch(EventEnvelope event) throws Exception {}

    /**
     * Called in reverse order after the listener, for every interceptor whose {@code beforeDispatch} was called. What
     * it throws is logged and changes nothing.
     *
     * @param error what the listener or an interceptor threw; {@code null} on success
     */
    default void afterDispatch(EventEnvelope event, @Nullable Exception error) {}

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
            public void afterDispatch(EventEnvelope event, @Nullable Exception error) {
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
        void afterDispatch(EventEnvelope event, @Nullable Exception error);
    }

    /**
     * An interceptor that receives information about the delivery of each event: these methods are called in place of
     * the others.
     */
    interface Informed extends EventInterceptor {

        /** See {@link EventInterceptor#beforeDispatch(EventEnvelope)}. */
        default void beforeDispatch(EventEnvelope event, DeliveryInfo info) throws Exception {}

        /** See {@link EventInterceptor#afterDispatch(EventEnvelope, Exception)}. */
        default void afterDispatch(EventEnvelope event, DeliveryInfo info, @Nullable Exception error) {}
    }
}
