package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import org.springframework.amqp.core.AcknowledgeMode;
import org.springframework.amqp.core.MessageListener;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.amqp.rabbit.listener.AbstractMessageListenerContainer;
import org.springframework.amqp.rabbit.listener.MethodRabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerContainerFactory;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpoint;
import org.springframework.amqp.rabbit.listener.RabbitListenerEndpointRegistry;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareMessageListener;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ErrorHandler;
import org.springframework.util.ReflectionUtils;

/**
 * Spring's registry of {@code @RabbitListener}s, in which those that have {@link io.outbox.spring.boot.Idempotent} are:
 * here every container is made, with all its settings, and knows its method.
 *
 * <p>Spring AMQP 3 and 4 have the interface of containers in different packages, so no method is used here that has it
 * in its signature.
 */
class IdempotentRabbitRegistry extends RabbitListenerEndpointRegistry {

    static final String DEFAULT_REQUEUE = "isDefaultRequeueRejected";
    static final String ADVICE_CHAIN = "getAdviceChain";
    static final String FATAL_FAILURES = "getExceptionStrategy";

    /** Where Spring AMQP 4 has its handler, and where 3 has it. */
    static final Set<String> REJECTING_HANDLERS = Set.of(
            "org.springframework.amqp.listener.ConditionalRejectingErrorHandler",
            "org.springframework.amqp.rabbit.listener.ConditionalRejectingErrorHandler");

    private static final String SPRINGS_STRATEGY = "DefaultExceptionStrategy";

    private final ObjectProvider<BrokerListeners> listeners;
    private ApplicationContext context;
    private volatile boolean contextRefreshed;

    IdempotentRabbitRegistry(ObjectProvider<BrokerListeners> listeners) {
        this.listeners = listeners;
    }

    @Override
    public synchronized void registerListenerContainer(
            RabbitListenerEndpoint endpoint, RabbitListenerContainerFactory<?> factory, boolean startImmediately) {
        Optional<Listener> idempotent = endpoint instanceof MethodRabbitListenerEndpoint listening
                ? listeners.getObject().idempotent(listening.getBean(), listening.getMethod(), RabbitListener.class)
                : Optional.empty();
        if (idempotent.isEmpty()) {
            super.registerListenerContainer(endpoint, factory, startImmediately);
            return;
        }
        Set<Object> others = containers();
        super.registerListenerContainer(endpoint, factory, false);
        Set<Object> added = containers();
        added.removeAll(others);
        for (Object container : added) {
            makeIdempotent(container, idempotent.get(), endpoint);
            if (startImmediately) {
                startIfNecessary(container);
            }
        }
    }

    @Override
    public void setApplicationContext(ApplicationContext applicationContext) {
        super.setApplicationContext(applicationContext);
        context = applicationContext;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        super.onApplicationEvent(event);
        if (event.getApplicationContext().equals(context)) {
            contextRefreshed = true;
        }
    }

    private Set<Object> containers() {
        Set<Object> containers = Collections.newSetFromMap(new IdentityHashMap<>());
        containers.addAll((Collection<?>) getListenerContainers());
        return containers;
    }

    private static void makeIdempotent(Object container, Listener listener, RabbitListenerEndpoint endpoint) {
        if (!(container instanceof AbstractMessageListenerContainer known)) {
            throw ListenerRisks.unknownKind(listener.name(), container);
        }
        AcknowledgeMode mode = known.getAcknowledgeMode();
        known.setMessageListener(wrap(known.getMessageListener(), listener, answering(known)));
        if (hasErrorHandler(listener)) {
            ListenerRisks.warnOfErrorHandler(listener.name(), "an error handler, or returns exceptions");
        }
        if (mode.isAutoAck()) {
            ListenerRisks.warnOfLoss(
                    listener.name() + " (" + endpoint.getId() + ")",
                    "acknowledge mode " + mode,
                    "use " + AcknowledgeMode.AUTO);
        }
    }

    private static MessageListener wrap(MessageListener plain, Listener listener, Answering answering) {
        ListenerRisks.requireSynchronous(listener.name(), plain != null && plain.isAsyncReplies());
        if (plain instanceof ChannelAwareBatchMessageListener batch) {
            return new IdempotentBatchMessageListener(batch, listener, answering);
        }
        if (plain instanceof ChannelAwareMessageListener single) {
            return new IdempotentMessageListener(single, listener, answering);
        }
        throw ListenerRisks.unknownKind(listener.name(), plain);
    }

    /**
     * Returns whether a handler is Spring's own. It rejects a message, whatever is set, if it takes the failure for
     * hopeless: a payload that cannot be converted, but also any ClassCastException.
     */
    private static boolean dropsMessages(ErrorHandler handler) {
        if (handler == null || !REJECTING_HANDLERS.contains(handler.getClass().getName())) {
            return false;
        }
        Object strategy = call(handler, handler.getClass(), FATAL_FAILURES);
        return strategy.getClass().getSimpleName().equals(SPRINGS_STRATEGY);
    }

    private static Answering answering(AbstractMessageListenerContainer container) {
        boolean isListeners = container.getAcknowledgeMode().isManual();
        boolean isOneByOne = isListeners
                || (!container.getAcknowledgeMode().isAutoAck()
                        && !container.isChannelTransacted()
                        && ((Object[]) setting(container, ADVICE_CHAIN)).length == 0);
        return new Answering(
                isListeners,
                Boolean.TRUE.equals(setting(container, DEFAULT_REQUEUE)),
                isOneByOne,
                dropsMessages(container.getErrorHandler()));
    }

    private static Object setting(AbstractMessageListenerContainer container, String getter) {
        return call(container, AbstractMessageListenerContainer.class, getter);
    }

    /** Spring shows these settings to its own classes only. */
    private static Object call(Object target, Class<?> type, String getter) {
        Method setting = ReflectionUtils.findMethod(type, getter);
        ReflectionUtils.makeAccessible(setting);
        return ReflectionUtils.invokeMethod(setting, target);
    }

    private static boolean hasErrorHandler(Listener listener) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(listener.element(), RabbitListener.class).stream()
                .anyMatch(annotation ->
                        !annotation.errorHandler().isEmpty() || "true".equals(annotation.returnExceptions()));
    }

    /** As Spring's registry does: what comes after the start of the application is wanted now. */
    private void startIfNecessary(Object container) {
        if (container instanceof SmartLifecycle lifecycle && (contextRefreshed || lifecycle.isAutoStartup())) {
            lifecycle.start();
        }
    }
}
