package io.outbox.internal.delivery;

import io.outbox.DispatchResult;
import io.outbox.EventFallback;
import io.outbox.PayloadParseException;
import io.outbox.UnrecoverableException;
import io.outbox.internal.delivery.EventProcessor.Result;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.spi.ContextPropagator.Scope;
import io.outbox.spi.Outcome;
import io.outbox.upkeep.Outage;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Calls the fallback of a listener before one of its events is dead. Never throws. Thread-safe.
 *
 * <p>Whether an attempt is the last one is decided by the store, by its own count; here it is known beforehand, since
 * nobody else counts attempts of an event that this node holds.
 */
final class Fallbacks {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final Contexts contexts;
    private final Map<String, Outage> outages = new ConcurrentHashMap<>();

    Fallbacks(Contexts contexts) {
        this.contexts = contexts;
    }

    /**
     * Returns whether the event can have its outcome: if it is not the last one, or the fallback has been called, or
     * there is none.
     */
    boolean allow(HeldEvent event, Recipient recipient, Result result) {
        if (!result.outcome().isLast()
                || recipient.listener() == null
                || event.hold().isLost()) {
            return true;
        }
        try {
            EventFallback fallback = recipient.listener().fallback();
            if (fallback != null) {
                call(fallback, event, result);
            }
            return true;
        } catch (Throwable e) {
            if (isHopeless(e, result)) {
                return true;
            }
            tell(event, e);
            return false;
        }
    }

    private void call(EventFallback fallback, HeldEvent event, Result result) throws Exception {
        Scope context = contexts.restore(event.envelope());
        try {
            fallback.onLastFailure(result.envelope(), event.info(), cause(result));
        } finally {
            context.close();
        }
        Outage outage = outages.get(event.eventType());
        if (outage != null) {
            outage.over();
        }
    }

    private static Throwable cause(Result result) {
        if (result.error() != null) {
            return result.error();
        }
        String reason = ((Outcome.Dead) result.outcome()).error();
        return new UnrecoverableException(
                reason != null ? reason : "The listener returned " + DispatchResult.dead() + " without a reason");
    }

    /**
     * Returns whether the payload is what the event fails by, and what the fallback fails by as well: it would for
     * ever.
     */
    private static boolean isHopeless(Throwable thrown, Result result) {
        boolean hopeless = thrown instanceof PayloadParseException && result.error() instanceof PayloadParseException;
        if (hopeless) {
            LOG.log(
                    Level.WARNING,
                    "The fallback wants to have the payload of event "
                            + result.outcome().eventId() + ", which cannot be read; the event goes DEAD without it");
        }
        return hopeless;
    }

    private void tell(HeldEvent event, Throwable thrown) {
        String type = event.eventType();
        outages.computeIfAbsent(
                        type,
                        key -> new Outage(
                                LOG,
                                Level.WARNING,
                                "The fallback of event type " + key + " failed",
                                "The fallback of event type " + key + " works again"))
                .failed(
                        "The fallback of event " + event.eventId() + " (type " + type
                                + ") failed; the event is not DEAD yet, and is delivered again until the fallback or the listener"
                                + " succeeds",
                        thrown);
    }
}
