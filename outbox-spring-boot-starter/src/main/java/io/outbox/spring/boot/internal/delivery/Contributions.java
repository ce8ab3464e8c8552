package io.outbox.spring.boot.internal.delivery;

import io.outbox.CompletionListener;
import io.outbox.Outbox;
import io.outbox.Upcaster;
import io.outbox.WriterHook;
import io.outbox.dead.DeadLetterPolicy;
import io.outbox.dead.OutboxDlqHandler;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.OutboxCustomizer;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactory;

/** What the application's beans add to every outbox, each kind in the order of its beans. */
final class Contributions {

    private final BeanFactory beans;

    Contributions(BeanFactory beans) {
        this.beans = beans;
    }

    /** Returns the application's retry policy, or {@code null}. */
    RetryPolicy retryPolicy() {
        return beans.getBeanProvider(RetryPolicy.class).getIfAvailable();
    }

    /** Returns what the starter's features add. */
    Stream<OutboxFeature> features() {
        return all(OutboxFeature.class);
    }

    void addTo(Outbox.AbstractBuilder<?> builder) {
        beans.getBeanProvider(JsonCodec.class).ifUnique(builder::jsonCodec);
        all(EventInterceptor.class).forEach(builder::interceptor);
        all(WriterHook.class).forEach(builder::writerHook);
        all(CompletionListener.class).forEach(builder::completionListener);
        all(Upcaster.class).forEach(builder::upcaster);
        all(ContextPropagator.class).forEach(builder::contextPropagator);
        deadLetters().ifPresent(letters -> builder.deadLetters(withHandlers(letters.policy())));
    }

    /** Returns how dead letters are kept; empty if they are not. */
    Optional<DeadLetterSettings> deadLetters() {
        return Optional.ofNullable(
                beans.getBeanProvider(DeadLetterSettings.class).getIfAvailable());
    }

    /** Returns the policy with the application's handlers, each of which is called whatever becomes of the others. */
    private DeadLetterPolicy withHandlers(DeadLetterPolicy policy) {
        List<OutboxDlqHandler> handlers = all(OutboxDlqHandler.class).toList();
        if (handlers.isEmpty()) {
            return policy;
        }
        return policy.withHandler(events -> {
            RuntimeException failure = null;
            for (OutboxDlqHandler handler : handlers) {
                try {
                    handler.handle(events);
                } catch (RuntimeException e) {
                    failure = failure == null ? e : failure;
                }
            }
            if (failure != null) {
                throw failure;
            }
        });
    }

    /** Adds hints between the nodes of the application's own outbox. */
    void addWakeUp(Outbox.AbstractBuilder<?> builder) {
        beans.getBeanProvider(WakeUp.class).ifUnique(builder::wakeUp);
    }

    /** Gives the application the last word. */
    void customize(Outbox.AbstractBuilder<?> builder) {
        all(OutboxCustomizer.class).forEach(customizer -> customizer.customize(builder));
    }

    private <T> Stream<T> all(Class<T> type) {
        return beans.getBeanProvider(type).orderedStream();
    }
}
