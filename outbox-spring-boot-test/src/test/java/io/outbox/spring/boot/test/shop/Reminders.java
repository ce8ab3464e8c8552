package io.outbox.spring.boot.test.shop;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.spring.boot.OutboxListener;
import java.time.Duration;
import org.springframework.beans.factory.ObjectProvider;

/** Reminds of an order whose name says so again every hour, and of all others once. */
@OutboxListener(eventType = "ReminderDue")
public class Reminders implements EventListener {

    private final Mailer mailer;
    private final ObjectProvider<Orders> orders;

    public Reminders(Mailer mailer, ObjectProvider<Orders> orders) {
        this.mailer = mailer;
        this.orders = orders;
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
        mailer.send("Remember order " + event.aggregateId());
        if (event.aggregateId().startsWith("forgotten")) {
            orders.getObject().remind(event.aggregateId(), Duration.ofHours(1));
        } else if (event.aggregateId().startsWith("renewed")) {
            orders.getObject().place(event.aggregateId(), 1);
        }
        return DispatchResult.done();
    }
}
