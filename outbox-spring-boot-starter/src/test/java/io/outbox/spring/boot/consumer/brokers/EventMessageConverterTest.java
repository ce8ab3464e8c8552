package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.outbox.OutboxHeaders;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.UnmappedEventTypeException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;

class EventMessageConverterTest {

    private final EventMessageConverter converter =
            new EventMessageConverter(new EventPayloads(Map.of(), mock(JsonCodec.class)));

    private static Message event() {
        MessageProperties properties = new MessageProperties();
        properties.setContentType(MessageProperties.CONTENT_TYPE_TEXT_PLAIN);
        properties.setHeader(OutboxHeaders.EVENT_TYPE.getValue(), "placed");
        return new Message("{}".getBytes(StandardCharsets.UTF_8), properties);
    }

    @Test
    void leavesEventsAloneThatAreNotForAListener() {
        assertThat(converter.fromMessage(event())).isEqualTo("{}");
    }

    @Test
    void readsThoseOfAListener() {
        Message event = event();
        event.getMessageProperties().setTargetBean(this);
        assertThatThrownBy(() -> converter.fromMessage(event)).hasCauseInstanceOf(UnmappedEventTypeException.class);
    }
}
