package io.outbox.kafka;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.Producer;
import org.jspecify.annotations.Nullable;

/**
 * Asks which topics there are, apart from sending: a producer waits for a topic that does not exist as long as for a broker
 * that is away, and everything behind it waits too. Names of topics may be computed, so that any event can bring such a name.
 *
 * <p>A topic is asked for on a thread of its own. Its events wait a moment for the answer; then they come again later, while
 * the question is open. A topic that the broker did not know for some seconds, though it answered, is missing: its events
 * fail without a wait until the question has ended, and for some time after. If the broker does not answer, that is none of
 * the topic's affair, and sending finds out. Thread-safe.
 */
final class TopicLookups implements AutoCloseable {

    /** A broker that has told of others so long after the question does not have the topic, or only creates it. */
    private static final Duration MOMENT = Duration.ofMillis(250);

    /** How long a batch waits that has events for other topics as well: a broker that answers has done so by then. */
    private static final Duration BRIEFLY = Duration.ofMillis(20);

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
            0,
            MOST_THREADS,
            1,
            TimeUnit.SECONDS,
            new SynchronousQueue<>(),
            new DaemonThreadFactory("outbox-kafka-topics-"));

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
                threads.execute(asked);
                lookups.put(topic, asked);
            } catch (RejectedExecutionException e) {
                return asked; // there are too many questions at the moment
            }
        }
        return asked;
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }

    /** The question whether there is a topic. */
    static final class Lookup implements Runnable {

        private final String topic;
        private final Producer<?, ?> producer;
        private final long askedAt = System.nanoTime();
        private final CountDownLatch answered = new CountDownLatch(1);
        private volatile @Nullable RuntimeException failure;
        private volatile long answeredAt;

        private Lookup(String topic, Producer<?, ?> producer) {
            this.topic = topic;
            this.producer = producer;
        }

        @Override
        public void run() {
            try {
                producer.partitionsFor(topic);
            } catch (RuntimeException e) {
                failure = e;
            }
            answeredAt = System.nanoTime();
            answered.countDown();
        }

        /**
         * Waits for the answer until the broker has told of other topics after the question, or does not answer.
         *
         * @param briefly whether that is to hold up nobody: the events come again soon
         */
        void await(boolean briefly) throws InterruptedException {
            Duration longest = briefly ? BRIEFLY : PATIENCE;
            while (!isLeftOut() && open().compareTo(longest) < 0) {
                if (answered.await(STEP.toNanos(), TimeUnit.NANOSECONDS)) {
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

        private boolean isAnswered() {
            return answered.getCount() == 0;
        }

        private boolean isOutdated() {
            return isAnswered() && System.nanoTime() - answeredAt > REMEMBERED.toNanos();
        }

        /** Returns whether there is the topic, or nobody can tell, so that sending finds out. */
        boolean isToBeTried() {
            return isAnswered()
                    ? failure == null || !SendFailures.isMissingTopic(failure)
                    : open().compareTo(PATIENCE) >= 0 && !Silence.isMetadataFresh(producer, PATIENCE);
        }

        /** Returns whether the broker has answered, but not told of the topic for long enough. */
        boolean isMissing() {
            return isAnswered() ? failure != null : open().compareTo(PATIENCE) > 0;
        }

        /** Returns what becomes of an event to the topic that is not sent. */
        BatchOutcome outcome() {
            return isMissing()
                    ? BatchOutcome.failed(SendFailures.missing(topic))
                    : BatchOutcome.of(DispatchResult.retryAfter(AGAIN));
        }
    }
}
