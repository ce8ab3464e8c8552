package io.outbox.soak.ledger;

import io.outbox.soak.ledger.Entry.Answer;
import java.time.Instant;

/** An event that came to a listener of a node; end and answer are {@code null} if the listener never answered. */
public record Delivery(String eventId, String node, Instant begin, Instant end, Answer answer) {

    /** Whether the listener had asked to see the event again when {@code later} began. */
    public boolean allows(Delivery later) {
        return answer == Answer.AGAIN && !later.begin.isBefore(end);
    }
}
