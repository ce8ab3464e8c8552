package io.outbox.spring.boot.test.shop;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.spi.JsonCodec;
import java.time.Duration;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
@Transactional
public class Orders {

    private final OutboxWriter outbox;
    private final JsonCodec codec;

    public Orders(OutboxWriter outbox, JsonCodec codec) {
        this.outbox = outbox;
        this.codec = codec;
    }

    public void place(String orderId, int total) {
        outbox.write(EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId(orderId)
                .tenantId("north")
                .header("channel", "web")
                .payloadJson(codec.toJson(new OrderPlaced(orderId, total)))
                .build());
    }

    public void remind(String orderId, Duration after) {
        outbox.write(EventEnvelope.builder("ReminderDue")
                .aggregateId(orderId)
                .deliverAfter(after)
                .payloadJson("{}")
                .build());
    }
}
