package io.outbox.dead;

import io.outbox.spi.Limits;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How dead letters are looked after. Immutable.
 *
 * @param sweep how often DEAD events that are still in the outbox are looked for; how those are that the store moves at
 *     their death, too, since they may have died before dead letters were on
 * @param giveBack how often letters that are TO_RETRY are looked for
 * @param returnsAtOnce whether a letter goes back to the outbox when it is approved, without waiting for that
 * @param cleanUp how RESOLVED letters are deleted, or {@code null} if they stay
 * @param handler told of events that were moved
 */
public record DeadLetterPolicy(
        Transfer sweep,
        Transfer giveBack,
        boolean returnsAtOnce,
        @Nullable CleanUp cleanUp,
        OutboxDlqHandler handler) {

    public static final int DEFAULT_BATCH_SIZE = 100;
    public static final Duration DEFAULT_INITIAL_DELAY = Duration.ofSeconds(300);
    public static final Duration DEFAULT_SWEEP_DELAY = Duration.ofSeconds(900);
    public static final Duration DEFAULT_GIVE_BACK_DELAY = Duration.ofSeconds(3600);
    public static final Duration DEFAULT_RETENTION = Duration.ofHours(1);
    public static final Duration DEFAULT_CLEAN_UP_INITIAL_DELAY = Duration.ofSeconds(120);
    public static final Duration DEFAULT_CLEAN_UP_DELAY = Duration.ofSeconds(5);

    /** The policy of a dead letter queue of which nothing else is said. */
    public static final DeadLetterPolicy DEFAULT = new DeadLetterPolicy(
            new Transfer(DEFAULT_BATCH_SIZE, DEFAULT_INITIAL_DELAY, DEFAULT_SWEEP_DELAY),
            new Transfer(DEFAULT_BATCH_SIZE, DEFAULT_INITIAL_DELAY, DEFAULT_GIVE_BACK_DELAY),
            true,
            new CleanUp(
                    DEFAULT_RETENTION,
                    new Transfer(DEFAULT_BATCH_SIZE, DEFAULT_CLEAN_UP_INITIAL_DELAY, DEFAULT_CLEAN_UP_DELAY)),
            OutboxDlqHandler.LOGGING);

    public DeadLetterPolicy {
        Objects.requireNonNull(sweep, "sweep");
        Objects.requireNonNull(giveBack, "giveBack");
        Objects.requireNonNull(handler, "handler");
    }

    /**
     * When something is done again and again, in batches.
     *
     * @param batchSize how many letters one transaction takes
     * @param initialDelay the time from the start to the first run
     * @param fixedDelay the time from the end of a run to the next
     */
    public record Transfer(int batchSize, Duration initialDelay, Duration fixedDelay) {

        public Transfer {
            Limits.atLeastOne(batchSize, "batchSize");
            Limits.notNegative(initialDelay, "initialDelay");
            Limits.atLeastAMillisecond(fixedDelay, "fixedDelay");
        }
    }

    /**
     * When RESOLVED letters are deleted.
     *
     * @param retention how long they are kept from their last change on
     */
    public record CleanUp(Duration retention, Transfer runs) {

        public CleanUp {
            Limits.notNegative(retention, "retention");
            Objects.requireNonNull(runs, "runs");
        }
    }

    /** Returns the same policy with another handler. */
    public DeadLetterPolicy withHandler(OutboxDlqHandler other) {
        return new DeadLetterPolicy(sweep, giveBack, returnsAtOnce, cleanUp, other);
    }

    /** Returns the same policy with another schedule for what is left in the outbox. */
    public DeadLetterPolicy withSweep(Transfer other) {
        return new DeadLetterPolicy(other, giveBack, returnsAtOnce, cleanUp, handler);
    }

    /** Returns the same policy, by which approved letters wait for the schedule. */
    public DeadLetterPolicy returningOnSchedule(Transfer other) {
        return new DeadLetterPolicy(sweep, other, false, cleanUp, handler);
    }

    /** Returns the same policy with another clean-up, or without one. */
    public DeadLetterPolicy withCleanUp(@Nullable CleanUp other) {
        return new DeadLetterPolicy(sweep, giveBack, returnsAtOnce, other, handler);
    }
}
