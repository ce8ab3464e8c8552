package io.outbox.spring.boot;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import java.lang.reflect.Method;
import java.util.List;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ClassUtils;

/**
 * Lets the advice on listeners and interceptors take effect: {@code @Transactional}, {@code @Timed} and their like.
 *
 * <p>The outbox calls the methods that tell about the delivery, and where a class has none of its own, the interface's
 * calls the one without; behind a proxy, this inner call would go past the advice. So of a proxied bean the method is
 * called that its class has.
 */
final class AdvisedBeans {

    private AdvisedBeans() {}

    static ListenerRegistry listeners(ListenerRegistry listeners) {
        return (aggregateType, eventType) -> listener(listeners.listenerFor(aggregateType, eventType));
    }

    private static EventListener listener(EventListener listener) {
        if (!AopUtils.isAopProxy(listener)) {
            return listener;
        }
        if (listener instanceof BatchEventListener batching) {
            return hasOwn(listener, BatchEventListener.class, "onEvents", List.class, List.class)
                    ? listener
                    : new Batching(batching);
        }
        return hasOwn(listener, EventListener.class, "onEvent", EventEnvelope.class, DeliveryInfo.class)
                ? listener
                : new Single(listener);
    }

    static EventInterceptor interceptor(EventInterceptor interceptor) {
        if (!AopUtils.isAopProxy(interceptor)) {
            return interceptor;
        }
        boolean before =
                hasOwn(interceptor, EventInterceptor.class, "beforeDispatch", EventEnvelope.class, DeliveryInfo.class);
        boolean after = hasOwn(
                interceptor,
                EventInterceptor.class,
                "afterDispatch",
                EventEnvelope.class,
                DeliveryInfo.class,
                Exception.class);
        return new Intercepting(interceptor, before, after);
    }

    /** Returns whether the class behind the proxy has a method of its own in place of the interface's. */
    private static boolean hasOwn(Object proxy, Class<?> declaring, String name, Class<?>... parameters) {
        Method method = ClassUtils.getMethodIfAvailable(AopProxyUtils.ultimateTargetClass(proxy), name, parameters);
        return method == null || method.getDeclaringClass() != declaring;
    }

    private record Single(EventListener listener) implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) throws Exception {
            return listener.onEvent(event);
        }

        @Override
        public RetryPolicy retryPolicy() {
            return listener.retryPolicy();
        }
    }

    private record Batching(BatchEventListener listener) implements BatchEventListener {
        @Override
        public List<BatchOutcome> onEvents(List<EventEnvelope> events) throws Exception {
            return listener.onEvents(events);
        }

        @Override
        public int maxBatchSize() {
            return listener.maxBatchSize();
        }

        @Override
        public RetryPolicy retryPolicy() {
            return listener.retryPolicy();
        }
    }

    private record Intercepting(EventInterceptor interceptor, boolean knowsBefore, boolean knowsAfter)
            implements EventInterceptor {
        @Override
        public void beforeDispatch(EventEnvelope event, DeliveryInfo info) throws Exception {
            if (knowsBefore) {
                interceptor.beforeDispatch(event, info);
            } else {
                interceptor.beforeDispatch(event);
            }
        }

        @Override
        public void afterDispatch(EventEnvelope event, DeliveryInfo info, Exception error) {
            if (knowsAfter) {
                interceptor.afterDispatch(event, info, error);
            } else {
                interceptor.afterDispatch(event, error);
            }
        }
    }
}
