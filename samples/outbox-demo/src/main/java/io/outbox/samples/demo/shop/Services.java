package io.outbox.samples.demo.shop;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The receiving side: the services that the shop tells of its orders, each with the troubles of its own. Thread-safe.
 */
final class Services {

    /** What a card is good for. */
    static final int CARD_LIMIT_CENTS = 500_000;

    private static final Map<String, Integer> TAX_PERCENT = Map.of("DE", 19, "FR", 20, "IT", 22, "US", 0);

    private final Orders orders;
    private final Troubles troubles;

    Services(Orders orders, Troubles troubles) {
        this.orders = orders;
        this.troubles = troubles;
    }

    ListenerRegistry listeners() {
        return new DefaultListenerRegistry()
                .register(EventTypes.AGGREGATE_TYPE, EventTypes.ORDER_PLACED, this::reserve)
                .register(EventTypes.AGGREGATE_TYPE, EventTypes.PAYMENT_REQUESTED, this::pay)
                .register(EventTypes.AGGREGATE_TYPE, EventTypes.PARCEL_SHIPPED, this::ship)
                .register(EventTypes.AGGREGATE_TYPE, EventTypes.INVOICE_REQUESTED, this::invoice)
                .register(EventTypes.AGGREGATE_TYPE, EventTypes.MAIL_REQUESTED, this::mail);
    }

    private DispatchResult reserve(EventEnvelope event) throws InterruptedException {
        return answerAfter(2);
    }

    /** Often fails and is tried again; a declined card is not, since it would be declined again. */
    private DispatchResult pay(EventEnvelope event) throws Exception {
        Order order = event.payload(Order.class);
        if (troubles.isTimeout()) {
            throw new SocketTimeoutException("Payment gateway did not answer within "
                    + ThreadLocalRandom.current().nextInt(2_000, 5_000) + " ms");
        }
        if (order.cents() > CARD_LIMIT_CENTS) {
            throw new UnrecoverableException("Card of customer '" + order.customer() + "' was declined");
        }
        orders.follow(event, order, EventTypes.PARCEL_SHIPPED, EventTypes.INVOICE_REQUESTED, EventTypes.MAIL_REQUESTED);
        return answerAfter(15);
    }

    /** While the carrier is down, no event is to blame: parcels wait until it is back. */
    private DispatchResult ship(EventEnvelope event) throws InterruptedException {
        if (troubles.isCarrierDown()) {
            throw new RouteUnavailableException("The carrier answers 503 Service Unavailable");
        }
        return answerAfter(10);
    }

    /** Fails with every attempt for a country that somebody forgot. */
    private DispatchResult invoice(EventEnvelope event) throws InterruptedException {
        Order order = event.payload(Order.class);
        if (!TAX_PERCENT.containsKey(order.country())) {
            throw new IllegalStateException("No tax rate for country '" + order.country() + "'");
        }
        return answerAfter(5);
    }

    private DispatchResult mail(EventEnvelope event) throws InterruptedException {
        return answerAfter(3);
    }

    /** A service elsewhere takes its time. */
    private static DispatchResult answerAfter(int meanMs) throws InterruptedException {
        Thread.sleep(ThreadLocalRandom.current().nextInt(2 * meanMs));
        return DispatchResult.done();
    }
}
