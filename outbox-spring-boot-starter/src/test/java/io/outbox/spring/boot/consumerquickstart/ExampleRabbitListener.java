package io.outbox.spring.boot.consumerquickstart;

import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.quickstart.ExampleDto;
import lombok.RequiredArgsConstructor;
import lombok.extern.slf4j.Slf4j;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.stereotype.Component;
import tools.jackson.databind.ObjectMapper;

@Component
@RequiredArgsConstructor
@Slf4j
public class ExampleRabbitListener {

    private final OutboxIdempotentConsumer outboxConsumer;
    private final ObjectMapper objectMapper;

    @RabbitListener(queues = "example-queue")
    public void handle(Message message) {
        ExampleDto dto = objectMapper.readValue(message.getBody(), ExampleDto.class);
        outboxConsumer.consume(
                message, // event metadata (type, id) is in headers
                () -> log.info("Some business operation with payload {}", dto));
    }
}
