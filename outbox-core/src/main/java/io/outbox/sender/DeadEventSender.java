package io.outbox.sender;

import io.outbox.BatchOutcome;
import io.outbox.DeadLetterHeaders;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Sends events that are about to go DEAD to another topic or exchange of their broker. An event goes DEAD when the
 * broker has confirmed it; until then it stays in the store and comes again, without another attempt being counted.
 *
 * <p>What can never be sent, such as an event that is too large for this topic as well, goes DEAD without, and the log
 * says so. Delivery is at least once: if the process ends between the broker's answer and DEAD, the event is sent
 * again. Thread-safe.
 */
public final class DeadEventSender implements EventFallback {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** For how long a broker that is away is not asked again: an answer may take a worker the emergency timeout. */
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final int LONGEST_CAUSE = 1_000;

    private final Function<EventEnvelope, @Nullable String> targets;
    private final OutboxRouter routes;
    private final Way way;
    private volatile @Nullable Outage lastOutage;

    /** Sends an event by itself and waits for the broker's answer. */
    @FunctionalInterface
    public interface Way {
        BatchOutcome send(EventEnvelope event, OutboxRoute route);
    }

    private record Outage(RouteUnavailableException reason, long at) {}

    /**
     * @param targets names the topic or exchange for an event; {@code null} for one that is not sent
     * @param routes where events go that are alive
     */
    DeadEventSender(Function<EventEnvelope, @Nullable String> targets, OutboxRouter routes, Way way) {
        this.targets = targets;
        this.routes = routes;
        this.way = way;
    }

    @Override
    public void onLastFailure(EventEnvelope event, DeliveryInfo info, Throwable cause) throws Exception {
        try {
            String target = targets.apply(event);
            if (target != null) {
                requireNoOutage();
                send(event, letter(event, info, cause, target));
            }
        } catch (UnrecoverableException e) {
            LOG.log(
                    Level.WARNING,
                    "Event {0} (type {1}) cannot be sent as a dead letter, and goes DEAD without: {2}",
                    event.eventId(),
                    event.eventType(),
                    e.getMessage());
        }
    }

    private void requireNoOutage() {
        Outage outage = lastOutage;
        if (outage != null && System.nanoTime() - outage.at < PAUSE.toNanos()) {
            throw outage.reason;
        }
    }

    private void send(EventEnvelope event, OutboxRoute route) throws Exception {
        BatchOutcome outcome = way.send(event, route);
        if (outcome instanceof BatchOutcome.Handled handled) {
            if (handled.result() instanceof DispatchResult.Dead dead) {
                throw new UnrecoverableException(dead.reason());
            }
            if (handled.result() instanceof DispatchResult.RetryAfter) {
                throw new RecoverableException("the broker does not know " + route.topic() + " yet");
            }
            return;
        }
        Throwable error = ((BatchOutcome.Failed) outcome).error();
        if (error instanceof RouteUnavailableException reason) {
            lastOutage = new Outage(reason, System.nanoTime());
        }
        throw error instanceof Exception exception ? exception : new RecoverableException("not sent", error);
    }

    /** Returns the route of a dead event: as it would go alive, but to its target, and with the reason. */
    private OutboxRoute letter(EventEnvelope event, DeliveryInfo info, Throwable cause, String target) {
        OutboxRoute alive = route(event);
        String key = alive.routingKey() != null ? alive.routingKey() : alive.key() != null ? alive.key() : event.key();
        return alive.toBuilder()
                .topic(target)
                .partition(null) // the other topic may have fewer
                .timestamp(null) // it may be what the event died of
                .header(DeadLetterHeaders.CAUSE.getValue(), text(cause))
                .header(DeadLetterHeaders.ATTEMPTS.getValue(), String.valueOf(info.attempt()))
                .header(DeadLetterHeaders.TARGET.getValue(), alive.topic())
                .header(DeadLetterHeaders.KEY.getValue(), key)
                .build();
    }

    /** Returns the route of the event, which may be what it died of. */
    private OutboxRoute route(EventEnvelope event) {
        try {
            return Objects.requireNonNullElse(routes.route(event), OutboxRoute.open());
        } catch (RuntimeException e) {
            return OutboxRoute.open();
        }
    }

    private static String text(Throwable cause) {
        String line = String.valueOf(cause).replaceAll("\\s+", " ").strip();
        return line.length() <= LONGEST_CAUSE ? line : line.substring(0, LONGEST_CAUSE - 1) + "…";
    }
}
