package io.outbox.spring.boot.consumer.brokers;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spi.TxContext;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.consumer.ConsumerKeys;
import io.outbox.spring.boot.consumer.IdempotentConsumers;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.stream.Stream;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds out which listeners of brokers have {@link Idempotent}, and who consumes for them. There is nothing to tell the
 * listeners of an application apart that is the same on all nodes and stays, but their classes and methods; so these
 * name their consumers. Thread-safe.
 */
final class BrokerListeners {

    private final ObjectProvider<IdempotentConsumers> consumers;
    private final ObjectProvider<JdbcInbox> inbox;
    private final Map<String, Known> byName = new HashMap<>();
    private final Set<AnnotatedElement> taken = ConcurrentHashMap.newKeySet();

    /**
     * Creates it.
     *
     * @param inbox in whose transactions the consumers work
     */
    BrokerListeners(ObjectProvider<IdempotentConsumers> consumers, ObjectProvider<JdbcInbox> inbox) {
        this.consumers = consumers;
        this.inbox = inbox;
    }

    /**
     * An idempotent listener.
     *
     * @param name what messages for people call it
     * @param element the method, or the class whose methods share what it receives
     * @param transactions those in which its consumer works
     */
    public record Listener(
            String name, AnnotatedElement element, OutboxIdempotentConsumer consumer, TxContext transactions) {

        /** Checks that what is consumed now is committed when the broker learns of it. */
        public void requireNoTransaction() {
            if (transactions.isTransactionActive()) {
                throw new IllegalStateException("The idempotent listener " + name
                        + " was called in a transaction. It has to begin its own, since the broker must not learn of"
                        + " anything before the commit: take the transaction out of the container, its advice chain or"
                        + " its transaction manager");
            }
        }

        /**
         * Consumes messages as the consumer does.
         *
         * @throws DatabaseAwayException if that failed for a reason that is none of the messages'
         */
        <T, R> Optional<R> consume(List<T> messages, Function<List<T>, R> operation) {
            AtomicBoolean isCalled = new AtomicBoolean();
            try {
                return consumer.consumeReturning(messages, fresh -> {
                    isCalled.set(true);
                    return withoutErrors(operation, fresh);
                });
            } catch (Rejected e) {
                throw e;
            } catch (Exception e) {
                boolean isOfDatabase = isCalled.get()
                        ? DatabaseAwayException.isLostConnection(e)
                        : messages.stream().allMatch(consumer::isIdentified);
                throw isOfDatabase ? new DatabaseAwayException(name, e) : ListenerCall.asItWas(e);
            }
        }

        /** An Error would end the container of Kafka, and with RabbitMQ the JVM, each time that the message comes. */
        private <T, R> R withoutErrors(Function<List<T>, R> operation, List<T> fresh) {
            try {
                return operation.apply(fresh);
            } catch (Error e) {
                if (e instanceof VirtualMachineError && !(e instanceof StackOverflowError)) {
                    throw e;
                }
                throw new IllegalStateException("The idempotent listener " + name + " has thrown an error: " + e, e);
            }
        }
    }

    /** What has a name by default: a listener as often as its container is made, as for retry topics, and no other. */
    private record Known(Object bean, AnnotatedElement element, Class<? extends Annotation> kind) {

        boolean isSame(Known other) {
            return bean == other.bean && element.equals(other.element) && kind.equals(other.kind);
        }

        @Override
        public String toString() {
            return "@" + kind.getSimpleName() + " " + element + " of a bean of " + AopUtils.getTargetClass(bean);
        }
    }

    /**
     * Returns the listener if it is to be idempotent.
     *
     * @param bean the bean that it is a method of
     * @param method the method; {@code null} if the bean's class is the listener, and its methods share what it
     * receives
     * @param kind the annotation that makes it a listener
     */
    public Optional<Listener> idempotent(Object bean, Method method, Class<? extends Annotation> kind) {
        Class<?> type = AopUtils.getTargetClass(bean);
        Method specific = method == null ? null : AopUtils.getMostSpecificMethod(method, type);
        Idempotent annotation = annotation(type, specific);
        if (annotation == null) {
            requireNoneOnHandlers(type, specific);
            return Optional.empty();
        }
        taken.add(specific == null ? type : specific);
        String name = ClassUtils.getShortNameAsProperty(type) + (specific == null ? "" : "." + specific.getName());
        AnnotatedElement element = specific == null ? type : specific;
        if (annotation.consumer().isEmpty()) {
            requireOnce(name, element, kind);
            requireUnambiguous(name, new Known(bean, element, kind));
        }
        OutboxIdempotentConsumer consumer = consumer(annotation, name);
        return Optional.of(new Listener(
                name, element, consumer, inbox.getObject().transactions().context()));
    }

    /** Returns whether a method is an idempotent listener, or its class is one. */
    boolean hasTaken(Method method, Class<?> type) {
        return taken.contains(method) || taken.contains(type);
    }

    private static Idempotent annotation(Class<?> type, Method method) {
        return Stream.of(method, type)
                .filter(element -> element != null)
                .map(element -> AnnotatedElementUtils.findMergedAnnotation(element, Idempotent.class))
                .filter(found -> found != null)
                .findFirst()
                .orElse(null);
    }

    /** Whether a message is new has to be known before it is known which of the methods takes it. */
    private static void requireNoneOnHandlers(Class<?> type, Method method) {
        if (method != null) {
            return;
        }
        List<String> annotated = Stream.of(ReflectionUtils.getAllDeclaredMethods(type))
                .filter(handler -> AnnotatedElementUtils.hasAnnotation(handler, Idempotent.class))
                .map(Method::getName)
                .sorted()
                .toList();
        if (!annotated.isEmpty()) {
            throw new OutboxStartupException(
                    "The class " + type.getName() + " is a listener whose methods " + annotated
                            + " have @Idempotent, but the class has not",
                    "Put @Idempotent on the class, for all its methods");
        }
    }

    /** Each of several annotations is a listener, which may be of a group or queue of its own. */
    private static void requireOnce(String name, AnnotatedElement element, Class<? extends Annotation> kind) {
        int count = AnnotatedElementUtils.findMergedRepeatableAnnotations(element, kind)
                .size();
        if (count > 1) {
            throw new OutboxStartupException(
                    "The idempotent listener " + name + " has @" + kind.getSimpleName() + " " + count
                            + " times: each is a separate listener, and each event would reach only one of them",
                    "Give each its own method; or name the consumer that they share, if each event is to have its"
                            + " effect once for all of them: @Idempotent(consumer = …)");
        }
    }

    /** Two listeners with one consumer would take the events from each other. */
    private void requireUnambiguous(String name, Known listener) {
        synchronized (byName) {
            Known other = byName.putIfAbsent(name, listener);
            if (other != null && !other.isSame(listener)) {
                throw new OutboxStartupException(
                        "The idempotent listeners " + other + " and " + listener + " have the same name, " + name
                                + ", so each event would reach only one of them",
                        "Give each a name: @Idempotent(consumer = …)");
            }
        }
    }

    private OutboxIdempotentConsumer consumer(Idempotent annotation, String name) {
        IdempotentConsumers available = consumers.getIfAvailable();
        if (available == null) {
            throw new OutboxStartupException(
                    "The listener " + name + " has @Idempotent, but there is no idempotent consumer",
                    "Set " + ConsumerKeys.ENABLED + "=true, and do not turn the outbox off with outbox.enabled=false");
        }
        return available.ofListener(annotation, name);
    }
}
