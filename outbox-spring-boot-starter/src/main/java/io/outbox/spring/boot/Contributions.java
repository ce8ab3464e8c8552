package io.outbox.spring.boot;

import io.outbox.CompletionListener;
import io.outbox.Outbox;
import io.outbox.WriterHook;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.spi.ContextPropagator;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;

/** What the application's beans add to every outbox, each kind in the order of its beans. */
record Contributions(
        List<EventInterceptor> interceptors,
        List<WriterHook> writerHooks,
        List<CompletionListener> completionListeners,
        List<ContextPropagator> contextPropagators) {

    static Contributions of(BeanFactory beans) {
        return new Contributions(
                all(beans, EventInterceptor.class),
                all(beans, WriterHook.class),
                all(beans, CompletionListener.class),
                all(beans, ContextPropagator.class));
    }

    private static <T> List<T> all(BeanFactory beans, Class<T> type) {
        return beans.getBeanProvider(type).orderedStream().toList();
    }

    void addTo(Outbox.AbstractBuilder<?> builder) {
        builder.interceptors(interceptors);
        writerHooks.forEach(builder::writerHook);
        completionListeners.forEach(builder::completionListener);
        contextPropagators.forEach(builder::contextPropagator);
    }
}
