package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.kafka.TopicLookups.Lookup;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.MetricName;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.metrics.Gauge;
import org.apache.kafka.common.metrics.KafkaMetric;
import org.apache.kafka.common.utils.Time;
import org.junit.jupiter.api.Test;

class TopicLookupsTest {

    /** Trying would block the worker for as long as the producer waits for a topic, and with it all events behind. */
    @Test
    void aTopicOfWhichASlowBrokerHasNotToldYetIsNotTriedAfterABriefWait() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (TopicLookups lookups = new TopicLookups();
                MockProducer<byte[], byte[]> producer = slowProducer(answer)) {
            Lookup lookup = lookups.of("slow", producer);
            lookups.await(lookup, true);

            assertThat(lookup.isToBeTried()).isFalse();
            assertThat(lookup.isMissing()).isFalse();

            answer.countDown();
            await().until(lookup::isToBeTried);
        }
    }

    /** Names may be computed: a good one waits for its answer behind those that nobody has, for some seconds. */
    @Test
    void namesThatNoBrokerKnowsHoldUpAGoodOneForABoundedTime() throws Exception {
        try (TopicLookups lookups = new TopicLookups();
                MockProducer<byte[], byte[]> producer = producerThatWaitsFor("missing")) {
            List<Lookup> missing = IntStream.range(0, 20)
                    .mapToObj(i -> lookups.of("missing-" + i, producer))
                    .toList();
            Lookup good = lookups.of("good", producer);
            assertThat(lookups.of("good", producer)).as("it is in line").isSameAs(good);

            await().atMost(Duration.ofSeconds(40)).until(good::isToBeTried);
            await().atMost(Duration.ofSeconds(40))
                    .untilAsserted(() -> assertThat(missing).allMatch(Lookup::isMissing));
            assertThat(missing).noneMatch(Lookup::isToBeTried);
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("outbox-kafka-topics")));
    }

    /** The broker answers, but not about these topics, for which a producer waits long. */
    private static MockProducer<byte[], byte[]> producerThatWaitsFor(String prefix) {
        MockProducer<byte[], byte[]> producer = new MockProducer<>() {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                try {
                    if (topic.startsWith(prefix)) {
                        new CountDownLatch(1).await();
                    }
                } catch (InterruptedException e) {
                    throw new InterruptException(e);
                }
                return List.of();
            }
        };
        MetricName age = new MetricName("metadata-age", "producer-metrics", "", Map.of());
        producer.setMockMetrics(
                age, new KafkaMetric(new Object(), age, (Gauge<Double>) (config, now) -> 0.0, null, Time.SYSTEM));
        return producer;
    }

    private static MockProducer<byte[], byte[]> slowProducer(CountDownLatch answer) {
        return new MockProducer<>() {
            @Override
            public List<PartitionInfo> partitionsFor(String topic) {
                try {
                    answer.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                return List.of();
            }
        };
    }
}
