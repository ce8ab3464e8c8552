package io.outbox.internal.writing;

import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import java.util.List;
import java.util.Set;

/**
 * The events of one write, reserved by this node before they are visible to anybody. It is confirmed by the commit,
 * undone by a rollback, and left to the poller if the end of the transaction is not known.
 */
public interface Reservation {

    /** Returns the events to write, with the owner that each is to have. */
    List<NewEvent> events();

    /** Tells which events the store has locked for their owner. */
    void written(Set<String> owned);

    /** Tells how the transaction ended; called once. */
    void ended(TransactionEnd end);

    /** Returns a reservation of nothing. */
    static Reservation none(List<EventEnvelope> events) {
        List<NewEvent> unowned = events.stream().map(NewEvent::unowned).toList();
        return new Reservation() {
            @Override
            public List<NewEvent> events() {
                return unowned;
            }

            @Override
            public void written(Set<String> owned) {
                // nothing is reserved
            }

            @Override
            public void ended(TransactionEnd end) {
                // nothing is reserved
            }
        };
    }
}
