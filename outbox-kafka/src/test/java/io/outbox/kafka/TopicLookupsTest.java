package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.kafka.TopicLookups.Lookup;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.PartitionInfo;
import org.junit.jupiter.api.Test;

class TopicLookupsTest {

    /** Trying would block the worker for as long as the producer waits for a topic, and with it all events behind. */
    @Test
    void aTopicOfWhichASlowBrokerHasNotToldYetIsNotTriedAfterABriefWait() throws Exception {
        CountDownLatch answer = new CountDownLatch(1);
        try (TopicLookups lookups = new TopicLookups();
                MockProducer<byte[], byte[]> producer = slowProducer(answer)) {
            Lookup lookup = lookups.of("slow", producer);
            lookup.await(true);

            assertThat(lookup.isToBeTried()).isFalse();
            assertThat(lookup.isMissing()).isFalse();

            answer.countDown();
            await().until(lookup::isToBeTried);
        }
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
