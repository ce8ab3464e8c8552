package io.outbox.spring.boot.test.shop;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxListener;

@OutboxListener(eventType = "OrderPlaced", aggregateType = "Order")
public class Confirmations implements EventListener {

    private final Mailer mailer;
    private final JsonCodec codec;

    public Confirmations(Mailer mailer, JsonCodec codec) {
        this.mailer = mailer;
        this.codec = codec;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
        OrderPlaced order = codec.fromJson(event.payloadJson(), OrderPlaced.class);
        mailer.send("Thank you for order " + order.orderId());
        return DispatchResult.done();
    }
}
