package io.outbox.spring.boot.modulith;

import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * Tells failures of a broker from those of an event. Transports are Modulith's and throw what their clients do, so the
 * classes are known by name: none of the clients has to be there.
 */
final class Outages {

    private static final Set<String> OF_BROKERS = Set.of(
            "jakarta.jms.ResourceAllocationException",
            "java.net.SocketException",
            "java.net.SocketTimeoutException",
            "java.net.UnknownHostException",
            "org.apache.kafka.common.errors.AuthenticationException",
            "org.apache.kafka.common.errors.BrokerNotAvailableException",
            "org.apache.kafka.common.errors.ClusterAuthorizationException",
            "org.apache.kafka.common.errors.RetriableException",
            "org.springframework.amqp.AmqpConnectException",
            "org.springframework.amqp.AmqpTimeoutException");
    /** The broker has answered, and has no such topic: events of others are not concerned. */
    private static final String MISSING_TOPIC = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException";

    private Outages() {}

    /** Returns whether the broker could not be reached, so that no event is to blame. */
    static boolean isOne(Throwable failure) {
        return causes(failure).anyMatch(Outages::isOfBroker)
                && causes(failure).noneMatch(cause -> hasName(cause, MISSING_TOPIC));
    }

    private static Stream<Throwable> causes(Throwable failure) {
        return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
                .limit(20);
    }

    private static boolean isOfBroker(Throwable cause) {
        return cause instanceof TimeoutException
                || superclasses(cause).map(Class::getName).anyMatch(OF_BROKERS::contains);
    }

    private static boolean hasName(Throwable cause, String name) {
        return superclasses(cause).anyMatch(type -> type.getName().equals(name));
    }

    private static Stream<Class<?>> superclasses(Throwable cause) {
        return Stream.iterate(cause.getClass(), type -> type != null, Class::getSuperclass);
    }
}
