package io.outbox.sender;

import io.outbox.BatchEventListener;
import io.outbox.CloudEventAttributes;
import io.outbox.EventEnvelope;
import io.outbox.EventFallback;
import io.outbox.OutboxHeaders;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.spi.Limits;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The common part of the builders of senders to brokers: where events go, what their messages contain in addition to
 * the payload, and how they are sent.
 *
 * <p>Functions and routers are called on worker threads, each time that an event is sent; an event for which one throws
 * has failed, alone. Not thread-safe.
 *
 * @param <B> the builder itself
 * @param <C> what changes messages before they are sent
 */
public abstract class SenderBuilder<B extends SenderBuilder<B, C>, C> {

    /** How long the broker's answers for a batch are awaited, if nothing else is set. */
    public static final Duration DEFAULT_EMERGENCY_TIMEOUT = Duration.ofSeconds(120);

    private @Nullable OutboxRouter router;
    private OutboxRouter functions = event -> OutboxRoute.open();
    private Map<OutboxHeaders, String> headerNames = Map.of();
    private @Nullable CloudEventAttributes cloudEvents;
    private final List<C> customizers = new ArrayList<>();
    private @Nullable Function<EventEnvelope, @Nullable String> deadLetters;
    private int batchSize = BatchEventListener.DEFAULT_MAX_BATCH_SIZE;
    private Duration emergencyTimeout = DEFAULT_EMERGENCY_TIMEOUT;

    protected SenderBuilder() {}

    /** Returns this builder. */
    protected abstract B self();

    /**
     * Gives each message the time that this function computes; {@code null} is the default, as without this function.
     */
    public B timestamp(Function<EventEnvelope, @Nullable Instant> timestamp) {
        Objects.requireNonNull(timestamp, "timestamp");
        return part(
                event -> OutboxRoute.builder().timestamp(timestamp.apply(event)).build());
    }

    /** Adds the headers that this function computes, in place of those of the event that have the same names. */
    public B headers(Function<EventEnvelope, Map<String, String>> headers) {
        Objects.requireNonNull(headers, "headers");
        return part(event -> OutboxRoute.builder().headers(headers.apply(event)).build());
    }

    /**
     * Computes the whole route in one call. What the router leaves open is left to the functions, and then to the
     * defaults.
     */
    public B router(OutboxRouter router) {
        this.router = Objects.requireNonNull(router, "router");
        return self();
    }

    /**
     * Gives headers of the outbox other names; the empty name leaves one out. Default: the names of {@link
     * OutboxHeaders}.
     */
    public B headerNames(Map<OutboxHeaders, String> headerNames) {
        this.headerNames = Map.copyOf(headerNames);
        return self();
    }

    /**
     * Makes each message a CloudEvent in binary mode: its attributes are headers, its data is the payload. Default:
     * none is.
     *
     * @param source where the events come from
     */
    public B cloudEvents(URI source) {
        this.cloudEvents = new CloudEventAttributes(source);
        return self();
    }

    /** Changes each message before it is sent. Several are called in the order in which they were added. */
    public B customizer(C customizer) {
        customizers.add(Objects.requireNonNull(customizer, "customizer"));
        return self();
    }

    /** The largest number of events in one batch. Default: {@value BatchEventListener#DEFAULT_MAX_BATCH_SIZE}. */
    public B batchSize(int batchSize) {
        this.batchSize = Limits.atLeastOne(batchSize, "batchSize");
        return self();
    }

    /** How long the broker's answers for a batch are awaited. Default: 120 seconds. */
    public B emergencyTimeout(Duration emergencyTimeout) {
        this.emergencyTimeout = Limits.atLeastAMillisecond(emergencyTimeout, "emergencyTimeout");
        return self();
    }

    /** Sends all events that are about to go DEAD to this topic or exchange, as {@link #deadLetters(Function)} does. */
    public B deadLetters(String target) {
        if (Objects.requireNonNull(target, "target").isBlank()) {
            throw new IllegalArgumentException("target must not be blank");
        }
        return deadLetters(event -> target);
    }

    /**
     * Sends each event that is about to go DEAD to the topic or exchange that this function names; {@code null} sends
     * it nowhere. The message is that of the event, with the headers of {@link io.outbox.DeadLetterHeaders}. The event
     * goes DEAD in the store when the broker has confirmed it, and comes again until then. If the function throws an
     * {@link io.outbox.UnrecoverableException}, the event goes DEAD without. Default: none is sent.
     */
    public B deadLetters(Function<EventEnvelope, @Nullable String> target) {
        this.deadLetters = Objects.requireNonNull(target, "target");
        return self();
    }

    /** Returns what sends events that are about to go DEAD, or {@code null} if none is sent. */
    protected final @Nullable EventFallback deadLetters(DeadEventSender.Way way) {
        return deadLetters == null ? null : new DeadEventSender(deadLetters, routes(), way);
    }

    protected final List<C> customizers() {
        return List.copyOf(customizers);
    }

    protected final int batchSize() {
        return batchSize;
    }

    protected final Duration emergencyTimeout() {
        return emergencyTimeout;
    }

    /** Adds a router that computes one part of a route. If a part is set twice, the last setting applies. */
    protected final B part(OutboxRouter part) {
        functions = part.orElse(functions);
        return self();
    }

    protected final boolean hasRouter() {
        return router != null;
    }

    /** Returns what routes events: the router, then the functions. Its routes are never {@code null}. */
    protected final OutboxRouter routes() {
        return router == null ? functions : router.orElse(functions);
    }

    /**
     * Returns what makes the headers of messages.
     *
     * @param attributePrefix what the broker's protocol binding has before the names of CloudEvents' attributes
     */
    protected final MessageHeaders messageHeaders(String attributePrefix) {
        return new MessageHeaders(headerNames, cloudEvents, attributePrefix);
    }
}
