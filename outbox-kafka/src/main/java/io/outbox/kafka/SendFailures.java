package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventException;
import io.outbox.InvalidTargetException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * What an error of the producer says about an event: at fault itself, in the way of an outage, or neither.
 *
 * <p>The producer retries by itself whatever may pass until its delivery timeout, so a timeout, or an error that it
 * retries, means that the broker, or the leader of the partition, was out of reach or out of order for that long; it
 * meets whole requests, and says nothing about their events. Only a topic that is missing is one's own. A wrong
 * identity and a missing right to write to the cluster concern every event alike; no event is to blame for them. A
 * missing right to write to a topic concerns its events alone, and may be granted before their retries end.
 */
final class SendFailures {

    private static final String PART_OF_A_REFUSED_BATCH = "Failed to append record because it was part of a batch";

    private SendFailures() {}

    static BatchOutcome outcome(String topic, Throwable thrown) {
        Throwable error = unwrap(thrown);
        if (isFatalForTheEvent(error)) {
            return BatchOutcome.of(DispatchResult.dead(describe(error)));
        }
        return BatchOutcome.failed(isOutage(error) ? unavailable(error) : failure(topic, error));
    }

    /** Returns whether the brokers refuse the producer itself, which does not recover from that. */
    static boolean isAboutTheProducer(Throwable thrown) {
        Throwable error = unwrap(thrown);
        return error instanceof AuthenticationException || error instanceof ClusterAuthorizationException;
    }

    /**
     * Returns whether the broker has nothing against the event itself: it refuses a request as a whole, and names the
     * records at fault; the client has no exception of its own for the others.
     */
    static boolean isOnAccountOfOthers(Throwable error) {
        return error.getClass() == KafkaException.class
                && String.valueOf(error.getMessage()).startsWith(PART_OF_A_REFUSED_BATCH);
    }

    /** A producer that has given up wraps the reason for it. */
    private static Throwable unwrap(Throwable error) {
        Throwable cause = error.getCause();
        return error.getClass() == KafkaException.class && cause != null ? unwrap(cause) : error;
    }

    static RouteUnavailableException unavailable(Throwable error) {
        return new RouteUnavailableException("Kafka is unavailable: " + describe(error), error);
    }

    private static EventException failure(String topic, Throwable error) {
        if (isMissingTopic(error)) {
            return missing(topic);
        }
        if (error instanceof TopicAuthorizationException) {
            return new InvalidTargetException(target(topic), "Kafka refused the event: " + describe(error), error);
        }
        return new RecoverableException("Kafka refused the event: " + describe(error), error);
    }

    /** Returns the failure of an event for a topic that the broker does not have. */
    static EventException missing(String topic) {
        return new InvalidTargetException(
                target(topic), "Kafka has no topic " + topic + "; create it, or correct the name");
    }

    private static String target(String topic) {
        return "topic " + topic;
    }

    private static boolean isFatalForTheEvent(Throwable error) {
        return error instanceof RecordTooLargeException
                || error instanceof RecordBatchTooLargeException
                || error instanceof InvalidRecordException
                || error instanceof SerializationException
                || error instanceof InvalidTopicException
                || error instanceof InvalidTimestampException;
    }

    /** Returns whether the broker has answered, in time, that it has no such topic. */
    static boolean isMissingTopic(Throwable error) {
        return error instanceof UnknownTopicOrPartitionException
                || (error instanceof TimeoutException && error.getCause() instanceof UnknownTopicOrPartitionException);
    }

    private static boolean isOutage(Throwable error) {
        if (isMissingTopic(error)) {
            return false;
        }
        return error instanceof TimeoutException
                || error instanceof RetriableException
                || error instanceof OutOfOrderSequenceException
                || error instanceof BrokerNotAvailableException
                || error instanceof AuthenticationException
                || error instanceof ClusterAuthorizationException
                || isClosed(error);
    }

    /** A closed producer throws this; records cut off by the end of the producer get an error without a type. */
    static boolean isClosed(Throwable error) {
        return error instanceof IllegalStateException
                || (error.getClass() == KafkaException.class
                        && String.valueOf(error.getMessage()).startsWith("Producer is closed"));
    }

    private static String describe(Throwable error) {
        return error.getMessage() == null
                ? error.getClass().getSimpleName()
                : error.getClass().getSimpleName() + ": " + error.getMessage();
    }
}
