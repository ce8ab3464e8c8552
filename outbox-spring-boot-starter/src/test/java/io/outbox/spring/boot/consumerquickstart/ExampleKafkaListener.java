package io.outbox.spring.boot.consumerquickstart;

import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.quickstart.ExampleDto;
import lombok.RequiredArgsConstructor;
import lombok.extern.slf4j.Slf4j;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

@Component
@RequiredArgsConstructor
@Slf4j
public class ExampleKafkaListener {

    private final OutboxIdempotentConsumer outboxConsumer;

    @KafkaListener(topics = "example-events", groupId = "example-group")
    public void listen(ConsumerRecord<String, ExampleDto> record) {
        outboxConsumer.consume(
                record, // event metadata (type, id) is in headers
                () -> log.info("Some business operation with payload {}", record.value()));
    }
}
