package io.outbox.samples.demo.tour;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.samples.demo.screen.Screen;
import java.util.concurrent.atomic.AtomicInteger;

/** The receiving side: one listener per type of event, some of them with troubles. Thread-safe. */
final class Listeners {

    static final String ORDER_PLACED = "OrderPlaced";
    static final String PAYMENT_REQUESTED = "PaymentRequested";
    static final String REMINDER = "PaymentReminder";
    static final String INVOICE_REQUESTED = "InvoiceRequested";
    static final int PAYMENT_FAILURES = 2;

    private final Screen screen;
    private final Deliveries deliveries;
    private final AtomicInteger paymentAttempts = new AtomicInteger();
    private final AtomicInteger invoiceAttempts = new AtomicInteger();
    private volatile long firstPaymentAttempt;
    private volatile boolean invoicingRepaired;

    Listeners(Screen screen, Deliveries deliveries) {
        this.screen = screen;
        this.deliveries = deliveries;
    }

    ListenerRegistry registry() {
        return new DefaultListenerRegistry()
                .register(ORDER_PLACED, this::process)
                .register(REMINDER, this::process)
                .register(DoomedNode.EVENT_TYPE, this::process)
                .register(PAYMENT_REQUESTED, this::pay)
                .register(INVOICE_REQUESTED, this::invoice);
    }

    void repairInvoicing() {
        invoicingRepaired = true;
    }

    private DispatchResult process(EventEnvelope event) {
        deliveries.add(event);
        return DispatchResult.done();
    }

    private DispatchResult pay(EventEnvelope event) {
        int attempt = paymentAttempts.incrementAndGet();
        if (attempt == 1) {
            firstPaymentAttempt = System.nanoTime();
        }
        long after = (System.nanoTime() - firstPaymentAttempt) / 1_000_000;
        if (attempt <= PAYMENT_FAILURES) {
            screen.trouble("attempt %d, after %4d ms: failed, the payment service is busy", attempt, after);
            throw new IllegalStateException("payment service is busy");
        }
        screen.good("attempt %d, after %4d ms: paid", attempt, after);
        return process(event);
    }

    private DispatchResult invoice(EventEnvelope event) {
        int attempt = invoiceAttempts.incrementAndGet();
        if (!invoicingRepaired) {
            screen.trouble("attempt %d: failed, no tax rate for this country", attempt);
            throw new IllegalStateException("no tax rate for this country");
        }
        return process(event);
    }
}
