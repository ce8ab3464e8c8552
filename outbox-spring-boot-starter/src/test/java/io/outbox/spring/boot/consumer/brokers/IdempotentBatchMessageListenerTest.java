package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.Channel;
import io.outbox.OutboxHeaders;
import io.outbox.inbox.JdbcInbox;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.amqp.core.Message;
import org.springframework.amqp.core.MessageProperties;
import org.springframework.amqp.rabbit.listener.api.ChannelAwareBatchMessageListener;

/** Batch listeners of RabbitMQ, which the container calls with single messages too, where it makes no batches. */
class IdempotentBatchMessageListenerTest {

    private final List<String> calls = new ArrayList<>();
    private JdbcInbox inbox;

    @BeforeEach
    void createTable() {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1");
        inbox = JdbcInbox.of(dataSource).createSchema();
    }

    private final class Listener implements ChannelAwareBatchMessageListener {

        @Override
        public void onMessage(Message message, Channel channel) {
            assertThat(inbox.currentConnection()).isNotNull();
            calls.add("alone " + new String(message.getBody()));
        }

        @Override
        public void onMessageBatch(List<Message> messages, Channel channel) {
            assertThat(inbox.currentConnection()).isNotNull();
            messages.forEach(message -> calls.add("in a batch " + new String(message.getBody())));
        }
    }

    private static Message event(String id) {
        MessageProperties properties = new MessageProperties();
        properties.setHeader(OutboxHeaders.EVENT_ID.getValue(), id);
        return new Message(id.getBytes(), properties);
    }

    private IdempotentBatchMessageListener idempotent() {
        BrokerListeners.Listener idempotent = new BrokerListeners.Listener(
                "bills.on",
                getClass(),
                inbox.consumer().headerReader(new AmqpMessageHeaderReader()).build(),
                inbox.transactions().context());
        return new IdempotentBatchMessageListener(new Listener(), idempotent, new Answering(false, true, true, false));
    }

    @Test
    void whatIsCalledInATransactionIsRefusedSinceTheBrokerWouldLearnTooEarly() {
        assertThatThrownBy(() -> inbox.transactions().run(() -> {
                    idempotent().onMessageBatch(List.of(event("a")), null);
                    return null;
                }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("The idempotent listener bills.on was called in a transaction");
        assertThat(calls).isEmpty();
    }

    @Test
    void aMessageThatComesAloneHasItsEffectOnce() throws Exception {
        IdempotentBatchMessageListener listener = idempotent();
        listener.onMessage(event("a"), null);
        listener.onMessage(event("a"), null);
        listener.onMessageBatch(List.of(event("a"), event("b")), null);
        listener.onMessage(event("b"), null);
        assertThat(calls).containsExactly("alone a", "in a batch b");
    }
}
