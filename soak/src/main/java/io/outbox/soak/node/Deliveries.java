package io.outbox.soak.node;

import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.Begun;
import io.outbox.soak.ledger.Entry.Ended;
import io.outbox.soak.ledger.Ledger;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;

/** Notes the calls of a node's listeners. Thread-safe. */
final class Deliveries {

    private final Ledger ledger;
    private final AtomicLong count = new AtomicLong();

    Deliveries(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Notes that a listener got the event, and returns the number of this delivery. */
    long begin(String eventId) {
        long delivery = count.incrementAndGet();
        ledger.append(new Begun(delivery, eventId, Instant.now()));
        return delivery;
    }

    void end(long delivery, Answer answer) {
        ledger.append(new Ended(delivery, Instant.now(), answer));
    }
}
