package io.outbox.dead;

import io.outbox.model.OutboxEvent;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Receives events that were moved to the dead letter queue, for example to raise an alarm or open a ticket.
 *
 * <p>It is called once for each batch, after the commit that moved it, with events that have all their attempts behind
 * them: on a thread of its own, one batch after the other. A slow handler holds up nothing else. Events that die while
 * it is far behind are logged instead, as by {@link #LOGGING}, and so are those that it has not been told of some
 * seconds after the outbox was closed. What it throws is logged and changes nothing: the events are dead letters. A
 * process that ends between the commit and the call does not call it.
 */
@FunctionalInterface
public interface OutboxDlqHandler {

    /** Logs the ids of the events at ERROR. */
    OutboxDlqHandler LOGGING = events -> System.getLogger(OutboxDlqHandler.class.getName())
            .log(
                    Level.ERROR,
                    "{0} events were moved to the dead letter queue: {1}",
                    events.size(),
                    events.stream().map(OutboxEvent::eventId).collect(Collectors.joining(", ")));

    void handle(List<OutboxEvent> events);
}
