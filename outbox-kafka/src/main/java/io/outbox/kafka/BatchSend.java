package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.EventException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.kafka.TopicLookups.Lookup;
import io.outbox.upkeep.DurationText;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The way of one batch into the producer.
 *
 * <p>Sending blocks while the producer lacks a topic's metadata or buffer space; what one event waited for in vain, the
 * ones behind it do not wait for again.
 */
final class BatchSend {

    private final List<EventEnvelope> events;
    private final Function<EventEnvelope, ProducerRecord<byte[], byte[]>> toRecord;
    private final Acknowledgements acknowledgements;
    private final ProducerSource producers;
    private final ReachedTopics reached;
    private final TopicLookups lookups;
    private final Runnable flush;
    private final Map<String, BatchOutcome> unavailableTopics = new HashMap<>();
    /** Whether events of this batch are under way to topics that have taken some. */
    private boolean hasOthers;
    /** The topic that this batch waits for its turn at, if it does. */
    private volatile @Nullable FreshTopic awaited;

    /** @param flush makes the producer send what it has */
    BatchSend(
            List<EventEnvelope> events,
            Function<EventEnvelope, ProducerRecord<byte[], byte[]>> toRecord,
            Acknowledgements acknowledgements,
            ProducerSource producers,
            ReachedTopics reached,
            TopicLookups lookups,
            Runnable flush) {
        this.events = events;
        this.toRecord = toRecord;
        this.acknowledgements = acknowledgements;
        this.producers = producers;
        this.reached = reached;
        this.lookups = lookups;
        this.flush = flush;
    }

    /**
     * Hands events of the batch to the producer until it takes no more: those for topics that have taken events, in
     * this order, and then the others, whose topics may be missing.
     */
    void send(List<Integer> indexes, Duration emergencyTimeout) throws InterruptedException {
        handOver(indexes, emergencyTimeout);
        flush.run();
    }

    private void handOver(List<Integer> indexes, Duration emergencyTimeout) throws InterruptedException {
        Producer<byte[], byte[]> producer = producers.get();
        List<Outgoing> reachable = new ArrayList<>();
        List<Outgoing> others = new ArrayList<>();
        for (int index : indexes) {
            ProducerRecord<byte[], byte[]> message = message(index);
            if (message != null) {
                (reached.contains(message.topic()) ? reachable : others).add(new Outgoing(index, message));
            }
        }
        others.forEach(outgoing -> lookups.of(outgoing.message.topic(), producer));
        int afterOthers = reachable.size();
        hasOthers = afterOthers > 0;
        reachable.addAll(others);
        for (int i = 0; i < reachable.size(); i++) {
            if (i == afterOthers) {
                flush.run();
            }
            if (acknowledgements.isOverdue()) {
                fail(
                        reachable.subList(i, reachable.size()),
                        new RouteUnavailableException("not sent: the producer was blocked for the emergency timeout of "
                                + DurationText.of(emergencyTimeout)));
                return;
            }
            Throwable inVain = send(producer, reachable.get(i));
            if (inVain instanceof BufferExhaustedException) {
                fail(reachable.subList(i + 1, reachable.size()), SendFailures.unavailable(inVain));
                return;
            }
        }
    }

    /** An event of the batch as a record. */
    private record Outgoing(int index, ProducerRecord<byte[], byte[]> message) {}

    private void fail(List<Outgoing> events, RouteUnavailableException reason) {
        events.forEach(outgoing -> acknowledgements.settle(outgoing.index, BatchOutcome.failed(reason)));
    }

    /** Returns the record of an event, unless it has failed. */
    private @Nullable ProducerRecord<byte[], byte[]> message(int index) {
        try {
            return toRecord.apply(events.get(index));
        } catch (RuntimeException e) {
            acknowledgements.settle(index, BatchOutcome.failed(e));
            return null;
        }
    }

    /** Sends one event; returns what the producer waited for in vain, if it did. */
    private @Nullable Throwable send(Producer<byte[], byte[]> producer, Outgoing outgoing) throws InterruptedException {
        String topic = outgoing.message.topic();
        BatchOutcome known = unavailableTopics.get(topic);
        boolean isReached = reached.contains(topic);
        if (known == null && !isReached) {
            known = unknown(lookups.of(topic, producer));
        }
        if (known != null) {
            unavailableTopics.put(topic, known);
            acknowledgements.settle(outgoing.index, known);
            return null;
        }
        Throwable inVain = isReached
                ? send(producer, outgoing.index, outgoing.message)
                : sendAlone(producer, outgoing.index, outgoing.message);
        if (inVain != null) {
            reached.forget(topic);
            unavailableTopics.put(topic, SendFailures.outcome(topic, inVain));
        }
        return inVain;
    }

    /** Returns what becomes of events to a topic that the broker does not list, unless it is to be tried. */
    private @Nullable BatchOutcome unknown(Lookup lookup) throws InterruptedException {
        lookups.await(lookup, hasOthers);
        return lookup.isToBeTried() ? null : lookup.outcome();
    }

    /** Sends an event to a topic that has not taken one in each partition, and awaits its answer. */
    private @Nullable Throwable sendAlone(
            Producer<byte[], byte[]> producer, int index, ProducerRecord<byte[], byte[]> outgoing)
            throws InterruptedException {
        FreshTopic topic = reached.enter(outgoing.topic());
        int failuresSeen = topic.failures();
        awaited = topic;
        try {
            if (!topic.take(acknowledgements)) {
                return null; // the time is over, also for this event
            }
            awaited = null;
            try {
                return sendInTurn(producer, index, outgoing, topic, failuresSeen);
            } finally {
                topic.giveBack();
            }
        } finally {
            awaited = null;
            reached.leave(outgoing.topic());
        }
    }

    private @Nullable Throwable sendInTurn(
            Producer<byte[], byte[]> producer,
            int index,
            ProducerRecord<byte[], byte[]> outgoing,
            FreshTopic topic,
            int failuresSeen)
            throws InterruptedException {
        BatchOutcome known = topic.failureSince(failuresSeen);
        if (known == null && acknowledgements.isLate()) {
            known = tooLate(outgoing.topic());
        }
        if (known != null) {
            unavailableTopics.put(outgoing.topic(), known);
            acknowledgements.settle(index, known);
            return null;
        }
        reached.checkTime(outgoing.topic());
        boolean alone = !reached.contains(outgoing.topic());
        Throwable inVain = send(producer, index, outgoing);
        if (inVain != null) {
            topic.failed(SendFailures.outcome(outgoing.topic(), inVain));
        } else if (alone) {
            flush.run();
            noteAnswer(producer, outgoing.topic(), topic, acknowledgements.await(index));
        }
        return inVain;
    }

    /**
     * Lets the others go to the topic as well, unless it has not answered, or so late that they could not be settled in
     * time.
     */
    private void noteAnswer(Producer<?, ?> producer, String name, FreshTopic topic, @Nullable BatchOutcome answer) {
        if (BatchOutcome.done().equals(answer)) {
            reached.checkPartitions(name, partitions(producer, name));
        } else if (answer instanceof BatchOutcome.Failed failed
                && failed.error() instanceof RouteUnavailableException) {
            topic.failed(answer);
            unavailableTopics.put(name, answer);
            return;
        }
        if (acknowledgements.isLate()) {
            unavailableTopics.put(name, tooLate(name));
        }
    }

    private static BatchOutcome tooLate(String topic) {
        return BatchOutcome.failed(new RouteUnavailableException(
                "not sent: Kafka took too long to answer for the first event to topic " + topic));
    }

    /** Returns how many partitions a topic has; the producer knows, as it has just sent to it. */
    private static int partitions(Producer<?, ?> producer, String topic) {
        try {
            return producer.partitionsFor(topic).size();
        } catch (InterruptException e) {
            throw e;
        } catch (KafkaException | IllegalStateException e) {
            return Integer.MAX_VALUE; // the next record finds out what is the matter
        }
    }

    private @Nullable Throwable send(
            Producer<byte[], byte[]> producer, int index, ProducerRecord<byte[], byte[]> outgoing) {
        BlockedSend blocked = new BlockedSend();
        try {
            requirePartition(producer, outgoing);
            producer.send(outgoing, (metadata, error) -> {
                blocked.completed(error);
                if (error == null) {
                    reached.taken(outgoing.topic(), metadata.partition());
                }
                settle(producer, index, outgoing.topic(), error);
                if (error != null && SendFailures.isAboutTheProducer(error)) {
                    producers.refused(producer, outgoing.topic());
                }
            });
        } catch (InterruptException e) {
            throw e;
        } catch (EventException e) {
            acknowledgements.settle(index, BatchOutcome.failed(e));
        } catch (RuntimeException e) {
            blocked.completed(e);
            settle(producer, index, outgoing.topic(), e);
        }
        return blocked.returned();
    }

    /** The producer would wait for a partition that a topic does not have as it does for a broker that is away. */
    private static void requirePartition(Producer<?, ?> producer, ProducerRecord<?, ?> outgoing) {
        if (outgoing.partition() != null) {
            int partitions = producer.partitionsFor(outgoing.topic()).size();
            if (outgoing.partition() >= partitions) {
                throw new RecoverableException("topic " + outgoing.topic() + " has no partition " + outgoing.partition()
                        + ", but " + partitions + " partitions");
            }
        }
    }

    /**
     * Returns whether the broker owes an answer to this batch, or to the one that this batch waits for. Until then
     * events are being handed to the producer, which may wait for what it knows about a topic.
     */
    boolean isOwedAnAnswer() {
        FreshTopic topic = awaited;
        return acknowledgements.isWaitedFor() || (topic != null && topic.isOwedAnAnswer());
    }

    private void settle(Producer<byte[], byte[]> producer, int index, String topic, @Nullable Exception error) {
        if (error == null) {
            acknowledgements.settle(index, BatchOutcome.done());
        } else if (SendFailures.isOnAccountOfOthers(error)
                || (SendFailures.isClosed(error) && producers.isReplaced(producer))) {
            acknowledgements.refusedWithOthers(index);
        } else {
            acknowledgements.settle(index, SendFailures.outcome(topic, error));
        }
    }

    /** Tells whether a record failed while it was still being handed over, in the calling thread. */
    private static final class BlockedSend {

        private final Thread sender = Thread.currentThread();
        private @Nullable Throwable error;

        void completed(@Nullable Exception failure) {
            if (failure instanceof TimeoutException && Thread.currentThread() == sender) {
                error = failure;
            }
        }

        @Nullable
        Throwable returned() {
            return error;
        }
    }
}
