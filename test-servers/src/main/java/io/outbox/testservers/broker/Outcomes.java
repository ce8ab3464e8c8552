package io.outbox.testservers.broker;

import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RouteUnavailableException;
import java.util.List;
import java.util.stream.IntStream;

/** Short words for outcomes, and events to have them. */
public final class Outcomes {

    /** The type of the events. */
    public static final String TYPE = "order-created";

    private Outcomes() {}

    /** Returns done, deferred, dead, unavailable or failed for each outcome. */
    public static List<String> words(List<BatchOutcome> outcomes) {
        return outcomes.stream().map(Outcomes::word).toList();
    }

    private static String word(BatchOutcome outcome) {
        if (outcome instanceof BatchOutcome.Failed failed) {
            return failed.error() instanceof RouteUnavailableException ? "unavailable" : "failed";
        }
        DispatchResult result = ((BatchOutcome.Handled) outcome).result();
        if (result instanceof DispatchResult.RetryAfter) {
            return "deferred";
        }
        return result instanceof DispatchResult.Done ? "done" : "dead";
    }

    /** Returns why an event went dead or failed. */
    public static String reason(BatchOutcome outcome) {
        if (outcome instanceof BatchOutcome.Failed failed) {
            return failed.error().getMessage();
        }
        return ((DispatchResult.Dead) ((BatchOutcome.Handled) outcome).result()).reason();
    }

    /** Returns the ids of events, in their order. */
    public static List<String> ids(List<EventEnvelope> events) {
        return events.stream().map(EventEnvelope::eventId).toList();
    }

    public static List<EventEnvelope> events(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> event("{\"n\":" + i + "}"))
                .toList();
    }

    public static EventEnvelope event(String payload) {
        return EventEnvelope.ofJson(TYPE, payload);
    }
}
