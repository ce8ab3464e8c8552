package io.outbox.spring.boot.consumer.brokers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.springframework.kafka.listener.BatchAcknowledgingConsumerAwareMessageListener;
import org.springframework.kafka.support.Acknowledgment;

/** Calls a batch listener in the way that it wants. */
@FunctionalInterface
interface BatchCalls<K, V> {

    void call(List<ConsumerRecord<K, V>> messages, Acknowledgment acknowledgment, Consumer<?, ?> kafka);

    static <K, V> BatchCalls<K, V> of(BatchAcknowledgingConsumerAwareMessageListener<K, V> listener) {
        return listener.wantsPollResult()
                ? (messages, acknowledgment, kafka) ->
                        listener.onMessage(asPolled(messages), acknowledgment, ofItsTypes(kafka))
                : listener::onMessage;
    }

    /** The constructor that is not deprecated is not there in the client that Spring Boot 3.5 has. */
    @SuppressWarnings("deprecation")
    private static <K, V> ConsumerRecords<K, V> asPolled(List<ConsumerRecord<K, V>> messages) {
        Map<TopicPartition, List<ConsumerRecord<K, V>>> byPartition = new LinkedHashMap<>();
        messages.forEach(message -> byPartition
                .computeIfAbsent(new TopicPartition(message.topic(), message.partition()), key -> new ArrayList<>())
                .add(message));
        return new ConsumerRecords<>(byPartition);
    }

    @SuppressWarnings("unchecked")
    private static <K, V> Consumer<K, V> ofItsTypes(Consumer<?, ?> kafka) {
        return (Consumer<K, V>) kafka;
    }
}
