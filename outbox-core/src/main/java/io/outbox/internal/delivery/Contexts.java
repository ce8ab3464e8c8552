package io.outbox.internal.delivery;

import io.outbox.EventEnvelope;
import io.outbox.WriterHook;
import io.outbox.spi.ContextPropagator;
import io.outbox.spi.ContextPropagator.Scope;
import io.outbox.upkeep.Outage;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The application's context, captured when events are written and restored around their listener. Whatever a propagator
 * does, events are written and delivered.
 */
public final class Contexts implements WriterHook {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final Scope NOTHING = () -> {};

    private final List<ContextPropagator> propagators;
    private final Outage outage = new Outage(LOG, "A context is not propagated");

    public Contexts(List<ContextPropagator> propagators) {
        this.propagators = List.copyOf(propagators);
    }

    /** Adds the context of the writing thread to the events; what an event has in its headers already stays. */
    @Override
    public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
        if (propagators.isEmpty()) {
            return events;
        }
        Map<String, String> captured = new LinkedHashMap<>();
        for (ContextPropagator propagator : propagators) {
            try {
                captured.putAll(propagator.capture());
            } catch (Throwable e) {
                outage.failed("A context cannot be captured; events are written without it", e);
            }
        }
        return captured.isEmpty()
                ? events
                : events.stream().map(event -> with(captured, event)).toList();
    }

    private EventEnvelope with(Map<String, String> captured, EventEnvelope event) {
        EventEnvelope.Builder builder = event.toBuilder();
        captured.forEach((name, value) -> {
            if (value == null || event.headers().containsKey(name)) {
                return;
            }
            try {
                builder.header(name, value);
            } catch (IllegalArgumentException e) {
                outage.failed("A captured header cannot be used; events are written without it", e);
            }
        });
        return builder.build();
    }

    /** Puts the calling thread into the context of the event; never throws, nor does its end. */
    Scope restore(EventEnvelope event) {
        if (propagators.isEmpty()) {
            return NOTHING;
        }
        Deque<Scope> scopes = new ArrayDeque<>();
        for (ContextPropagator propagator : propagators) {
            try {
                scopes.push(propagator.restore(event.headers()));
            } catch (Throwable e) {
                outage.failed(
                        "The context of event " + event.eventId() + " cannot be restored; it is delivered without", e);
            }
        }
        return () -> scopes.forEach(this::end);
    }

    private void end(Scope scope) {
        try {
            scope.close();
        } catch (Throwable e) {
            outage.failed("The context of an event cannot be ended", e);
        }
    }
}
