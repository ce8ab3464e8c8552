package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.consumer.brokers.BrokerListeners.Listener;
import java.lang.reflect.Field;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.kafka.config.AbstractKafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerContainerFactory;
import org.springframework.kafka.config.KafkaListenerEndpoint;
import org.springframework.kafka.config.KafkaListenerEndpointRegistry;
import org.springframework.kafka.config.MethodKafkaListenerEndpoint;
import org.springframework.kafka.core.KafkaOperations;
import org.springframework.kafka.listener.AbstractMessageListenerContainer;
import org.springframework.kafka.listener.AcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.AfterRollbackProcessor;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.CommonLoggingErrorHandler;
import org.springframework.kafka.listener.ConsumerRecordRecoverer;
import org.springframework.kafka.listener.DeadLetterPublishingRecoverer;
import org.springframework.kafka.listener.DefaultAfterRollbackProcessor;
import org.springframework.kafka.listener.DelegatingMessageListener;
import org.springframework.kafka.listener.MessageListenerContainer;
import org.springframework.kafka.listener.adapter.AsyncRepliesAware;
import org.springframework.util.ReflectionUtils;

/**
 * Spring's registry of {@code @KafkaListener}s, in which those that have {@link io.outbox.spring.boot.Idempotent} are:
 * here every container is made, with all its settings, those of retry topics and of late beans too, and knows its
 * method.
 */
class IdempotentKafkaRegistry extends KafkaListenerEndpointRegistry {

    static final String ROLLBACK_PROCESSOR = "afterRollbackProcessor";

    private final ObjectProvider<BrokerListeners> listeners;
    private final ObjectProvider<KafkaOperations<?, ?>> templates;

    IdempotentKafkaRegistry(
            ObjectProvider<BrokerListeners> listeners, ObjectProvider<KafkaOperations<?, ?>> templates) {
        this.listeners = listeners;
        this.templates = templates;
    }

    @Override
    protected MessageListenerContainer createListenerContainer(
            KafkaListenerEndpoint endpoint, KafkaListenerContainerFactory<?> factory) {
        Listener listener = endpoint instanceof MethodKafkaListenerEndpoint<?, ?> listening
                ? listeners
                        .getObject()
                        .idempotent(listening.getBean(), listening.getMethod(), KafkaListener.class)
                        .orElse(null)
                : null;
        if (listener == null) {
            return super.createListenerContainer(endpoint, factory);
        }
        AfterRollbackProcessor<?, ?> springs = new DefaultAfterRollbackProcessor<>();
        MessageListenerContainer container = createListenerContainer(endpoint, factory, springs);
        makeIdempotent(container, listener, endpoint, factory, springs);
        return container;
    }

    /**
     * Containers have a rollback processor of Spring's from the beginning. They get this one in its place, so that one
     * of the application is known, whether its factory, a customizer or a post-processor has set it.
     */
    private MessageListenerContainer createListenerContainer(
            KafkaListenerEndpoint endpoint,
            KafkaListenerContainerFactory<?> factory,
            AfterRollbackProcessor<?, ?> springs) {
        Field common = ReflectionUtils.findField(AbstractKafkaListenerContainerFactory.class, ROLLBACK_PROCESSOR);
        ReflectionUtils.makeAccessible(common);
        if (!(factory instanceof AbstractKafkaListenerContainerFactory)
                || ReflectionUtils.getField(common, factory) != null) {
            return super.createListenerContainer(endpoint, factory);
        }
        ReflectionUtils.setField(common, factory, springs);
        try {
            return super.createListenerContainer(endpoint, factory);
        } finally {
            ReflectionUtils.setField(common, factory, null);
        }
    }

    private void makeIdempotent(
            MessageListenerContainer container,
            Listener listener,
            KafkaListenerEndpoint endpoint,
            KafkaListenerContainerFactory<?> factory,
            AfterRollbackProcessor<?, ?> springs) {
        if (!(container instanceof AbstractMessageListenerContainer<?, ?> known)) {
            throw ListenerRisks.unknownKind(listener.name(), container);
        }
        Object plain = withoutAdvice(known.getContainerProperties().getMessageListener());
        ListenerRisks.requireSynchronous(listener.name(), isAsynchronous(plain));
        known.setupMessageListener(wrap(plain, listener));
        handleErrors(known, listener, springs);
        if (hasErrorHandler(listener)) {
            ListenerRisks.warnOfErrorHandler(listener.name(), "an error handler");
        }
        if (commitsByItself(known, factory)) {
            ListenerRisks.warnOfLoss(
                    listener.name() + " (" + endpoint.getId() + ")",
                    ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG + "=true",
                    "leave it to the container, which commits offsets after the listener");
        }
    }

    /** Spring's own handler gives a message up after ten attempts without a pause. */
    private void handleErrors(
            AbstractMessageListenerContainer<?, ?> container, Listener listener, AfterRollbackProcessor<?, ?> springs) {
        CommonErrorHandler given = container.getCommonErrorHandler();
        if (given instanceof CommonLoggingErrorHandler) {
            ListenerRisks.warnOfLoss(
                    listener.name(), given.getClass().getSimpleName(), "use a DefaultErrorHandler with a recoverer");
        }
        boolean isTransactional = container.getContainerProperties().getKafkaAwareTransactionManager() != null;
        if (given != null || !isTransactional) {
            container.setCommonErrorHandler(
                    new ContainerErrors(given == null ? ContainerErrors.recovering(recoverer(container)) : given));
        }
        if (isTransactional) {
            handleRollbacks(container, springs);
        }
    }

    /**
     * With transactions of Kafka, the container asks another one than the error handler, which gives up in the same
     * way.
     */
    private <K, V> void handleRollbacks(
            AbstractMessageListenerContainer<K, V> container, AfterRollbackProcessor<?, ?> springs) {
        container.setAfterRollbackProcessor(new RollbackErrors<>(
                container.getAfterRollbackProcessor() == springs
                        ? ContainerErrors.afterRollback(recoverer(container))
                        : container.getAfterRollbackProcessor()));
    }

    /**
     * Returns who takes what has failed too often; {@code null} if nobody can. A listener for topics by their pattern
     * might be given its own dead letters.
     */
    private ConsumerRecordRecoverer recoverer(AbstractMessageListenerContainer<?, ?> container) {
        KafkaOperations<?, ?> template = templates.getIfUnique();
        return template == null || container.getContainerProperties().getTopicPattern() != null
                ? null
                : new DeadLetterPublishingRecoverer(template);
    }

    /**
     * The container gives its advice to the listener that it is given last, so it must not be on the inner one as well.
     */
    private static Object withoutAdvice(Object listener) {
        Object target = listener == null ? null : AopProxyUtils.getSingletonTarget(listener);
        return target == null ? listener : target;
    }

    private static boolean isAsynchronous(Object listener) {
        Object innermost = listener;
        while (innermost instanceof DelegatingMessageListener<?> delegating) {
            innermost = delegating.getDelegate();
        }
        return innermost instanceof AsyncRepliesAware aware && aware.isAsyncReplies();
    }

    private static Object wrap(Object plain, Listener listener) {
        if (plain instanceof BatchAcknowledgingConsumerAwareMessageListener<?, ?> batch) {
            return new IdempotentBatchListener<>(batch, listener);
        }
        if (plain instanceof AcknowledgingConsumerAwareMessageListener<?, ?> single) {
            return new IdempotentRecordListener<>(single, listener);
        }
        throw ListenerRisks.unknownKind(listener.name(), plain);
    }

    private static boolean hasErrorHandler(Listener listener) {
        return AnnotatedElementUtils.getMergedRepeatableAnnotations(listener.element(), KafkaListener.class).stream()
                .anyMatch(annotation -> !annotation.errorHandler().isEmpty());
    }

    /**
     * What the listener's annotation says counts before what is said for all. If nobody says anything, Spring turns it
     * off.
     */
    private static boolean commitsByItself(
            AbstractMessageListenerContainer<?, ?> container, KafkaListenerContainerFactory<?> factory) {
        String key = ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG;
        Object own =
                container.getContainerProperties().getKafkaConsumerProperties().get(key);
        Object common = factory instanceof AbstractKafkaListenerContainerFactory<?, ?, ?> known
                        && known.getConsumerFactory() != null
                ? known.getConsumerFactory().getConfigurationProperties().get(key)
                : null;
        return Boolean.parseBoolean(String.valueOf(own == null ? common : own));
    }
}
