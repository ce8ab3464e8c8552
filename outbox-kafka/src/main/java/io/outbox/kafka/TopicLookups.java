package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.errors.InterruptException;

/**
 * Asks which topics there are, apart from sending: a producer waits for a topic that does not exist as long as for a
 * broker that is away, and everything behind it waits too. Names of topics may be computed, so that any event can bring
 * such a name.
 *
 * <p>A topic is asked for on a thread of its own, or after others if there are too many questions. Its events wait for
 * the answer until the broker has told of others; then they come again later, while the question is open. A topic that
 * the broker did not know for some seconds, though it answered, is missing: its events fail without a wait for some
 * time. If the broker does not answer, that is none of the topic's affair, and sending finds out.
 *
 * <p>What comes again later is overtaken by later events of its topic. So a batch waits for the answer also if it holds
 * up events for other topics, but only as long as such waits in vain are a small part of the time. Thread-safe.
 */
final class TopicLookups implements AutoCloseable {

    /** A broker that has told of others so long after the question does not have the topic, or only creates it. */
    private static final Duration MOMENT = Duration.ofMillis(250);

    /** How long a batch waits at least that has events for other topics as well. */
    private static final Duration BRIEFLY = Duration.ofMillis(20);

    /** How long such batches wait in vain at once, and what part of the time. */
    private static final Duration LONGEST_IN_VAIN = Duration.ofSeconds(1);

    private static final int PART_IN_VAIN = 10;

    private static final Duration STEP = Duration.ofMillis(10);
    /** When a topic is missing that the broker has not told of; one that is being created has its leader by then. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    /** How long an answer counts. */
    private static final Duration REMEMBERED = Duration.ofSeconds(10);

    private static final Duration AGAIN = Duration.ofMillis(500);

    private static final int MOST_THREADS = 16;
    private static final int MOST_NAMES = 1_000;

    private final Map<String, Lookup> lookups = new ConcurrentHashMap<>();
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            MOST_THREADS,
            MOST_THREADS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            new DaemonThreadFactory("outbox-kafka-topics-"));
    /** Ends questions that are open for too long. */
    private final ScheduledThreadPoolExecutor timer =
            new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-kafka-topics-timer-"));
    /** Since when time has been saved up for waits in vain. */
    private long savedSince = System.nanoTime() - PART_IN_VAIN * LONGEST_IN_VAIN.toNanos();

    TopicLookups() {
        threads.allowCoreThreadTimeOut(true);
        timer.setKeepAliveTime(1, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setRemoveOnCancelPolicy(true);
        timer.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy()); // the publisher is closed
    }

    /** Returns what is known about a topic; it is asked for if that is nothing. */
    Lookup of(String topic, Producer<?, ?> producer) {
        Lookup known = lookups.get(topic);
        if (known != null && !known.isOutdated()) {
            return known;
        }
        if (lookups.size() >= MOST_NAMES) {
            lookups.values().removeIf(Lookup::isOutdated);
        }
        Lookup asked = new Lookup(topic, producer);
        if (lookups.size() < MOST_NAMES) {
            try {
                threads.execute(() -> ask(asked));
                lookups.put(topic, asked);
            } catch (RejectedExecutionException e) {
                return asked; // the publisher is closed
            }
        }
        return asked;
    }

    /** Asks on this thread, which would otherwise wait for as long as the producer waits for a broker. */
    private void ask(Lookup lookup) {
        FutureTask<?> question = new FutureTask<>(lookup, null);
        Future<?> end = timer.schedule(
                () -> {
                    lookup.isOverdue = true;
                    question.cancel(true);
                },
                PATIENCE.toNanos(),
                TimeUnit.NANOSECONDS);
        question.run();
        end.cancel(false);
        lookup.answered();
    }

    /**
     * Waits for an answer until the broker has told of other topics after the question, or does not answer.
     *
     * @param briefly whether that holds up events for other topics
     */
    void await(Lookup lookup, boolean briefly) throws InterruptedException {
        if (!briefly) {
            lookup.await(PATIENCE);
        } else if (lookup.isOpen()) {
            long begin = System.nanoTime();
            lookup.await(BRIEFLY.compareTo(saved()) > 0 ? BRIEFLY : saved());
            if (lookup.isOpen()) {
                spend(System.nanoTime() - begin);
            }
        }
    }

    private synchronized Duration saved() {
        long now = System.nanoTime();
        long earliest = now - PART_IN_VAIN * LONGEST_IN_VAIN.toNanos();
        if (savedSince - earliest < 0) {
            savedSince = earliest;
        }
        return Duration.ofNanos((now - savedSince) / PART_IN_VAIN);
    }

    private synchronized void spend(long nanos) {
        savedSince += nanos * PART_IN_VAIN;
    }

    @Override
    public void close() {
        threads.shutdownNow();
        timer.shutdownNow();
    }

    /** The question whether there is a topic. */
    static final class Lookup implements Runnable {

        private final String topic;
        private final Producer<?, ?> producer;
        private final long askedAt = System.nanoTime();
        private final CountDownLatch answer = new CountDownLatch(1);
        private volatile boolean isOverdue;
        private volatile boolean missing;
        private volatile long answeredAt;

        private Lookup(String topic, Producer<?, ?> producer) {
            this.topic = topic;
            this.producer = producer;
        }

        @Override
        public void run() {
            try {
                producer.partitionsFor(topic);
            } catch (InterruptException e) {
                missing = isOverdue && Silence.isMetadataFresh(producer, PATIENCE);
            } catch (RuntimeException e) {
                missing = SendFailures.isMissingTopic(e);
            }
        }

        private void answered() {
            answeredAt = System.nanoTime();
            answer.countDown();
        }

        private void await(Duration longest) throws InterruptedException {
            long begin = System.nanoTime();
            while (!isLeftOut() && System.nanoTime() - begin < longest.toNanos()) {
                if (answer.await(STEP.toNanos(), TimeUnit.NANOSECONDS)) {
                    return;
                }
            }
        }

        private boolean isLeftOut() {
            return Silence.metadataAge(producer) < (open().toMillis() - MOMENT.toMillis()) / 1_000.0;
        }

        private Duration open() {
            return Duration.ofNanos(System.nanoTime() - askedAt);
        }

        private boolean isOpen() {
            return answer.getCount() > 0;
        }

        private boolean isOutdated() {
            return !isOpen() && System.nanoTime() - answeredAt > REMEMBERED.toNanos();
        }

        /** Returns whether there is the topic, or nobody can tell, so that sending finds out. */
        boolean isToBeTried() {
            return isOpen()
                    ? open().compareTo(PATIENCE) >= 0 && !Silence.isMetadataFresh(producer, PATIENCE)
                    : !missing;
        }

        /** Returns whether the broker has answered, but not told of the topic for long enough. */
        boolean isMissing() {
            return missing;
        }

        /** Returns what becomes of an event to the topic that is not sent. */
        BatchOutcome outcome() {
            return isMissing()
                    ? BatchOutcome.failed(SendFailures.missing(topic))
                    : BatchOutcome.of(DispatchResult.retryAfter(AGAIN));
        }
    }
}
