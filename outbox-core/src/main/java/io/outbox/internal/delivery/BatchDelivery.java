package io.outbox.internal.delivery;

import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.internal.completion.Completion;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.delivery.EventProcessor.Processing;
import io.outbox.internal.delivery.EventProcessor.Result;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The delivery of batches: makes sure that the events are still ours, calls the listener, and sees to it that each
 * event ends in exactly one way: with an outcome, given back, or let go of. Whatever is thrown on the way, no event is
 * forgotten: those that a listener has seen count an attempt, the others go back.
 */
final class BatchDelivery {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");
    private static final long LEASE_RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final LaneTargets targets;
    private final boolean hasCircuits;
    private final EventProcessor processor;
    private final CompletionWriter completion;
    private final Leases leases;
    private final Routing routing;
    private final EngineMetrics metrics;
    private final boolean readByType;

    /**
     * @param hasCircuits whether events whose target is unavailable are left in the store until a probe gets through
     */
    BatchDelivery(LaneTargets targets, boolean hasCircuits, EventProcessor processor, LaneContext context) {
        this.targets = targets;
        this.hasCircuits = hasCircuits;
        this.processor = processor;
        this.completion = context.completion();
        this.leases = context.leases();
        this.routing = context.routing();
        this.metrics = context.metrics();
        this.readByType = context.readByType();
    }

    /**
     * Begins to deliver events of one route; never throws.
     *
     * @param givesUp whether the events go back that are not certain to be ours, though the store may answer yet
     * @return what is with the listener, to be {@linkplain Run#end ended}, or {@code null} if nothing is
     */
    Run begin(Batch batch, BooleanSupplier givesUp) {
        List<HeldEvent> ours = routing.leavesToOthers(batch.recipient()) ? leaveToOthers(batch) : batch.events();
        return ours.isEmpty() ? null : begin(ours, batch.recipient(), givesUp);
    }

    /**
     * Leaves events that nobody here listens to where other nodes find them; returns those that none has taken in time.
     */
    private List<HeldEvent> leaveToOthers(Batch batch) {
        HeldEvent first = batch.events().get(0);
        routing.met(first.envelope());
        boolean staysPut = readByType && routing.leavesAlone(first.eventType());
        List<HeldEvent> overdue = new ArrayList<>(0);
        for (HeldEvent event : batch.events()) {
            // one that keeps its order is found by its key, wherever it stands among its type
            boolean putOff =
                    completion.releasesLocks() && (!staysPut || event.hold().place() != null);
            if (routing.isOverdue(event, putOff)) {
                overdue.add(event);
            } else if (putOff) {
                Outcome later = new Outcome.Deferred(event.eventId(), routing.putOffUntil(event));
                submit(event, batch.recipient(), later, null);
            } else {
                completion.giveBack(event.hold());
            }
        }
        targets.probeLost(first.eventType());
        return overdue;
    }

    private Run begin(List<HeldEvent> batch, Recipient recipient, BooleanSupplier givesUp) {
        List<HeldEvent> secured;
        try {
            secured = secure(batch, givesUp);
        } catch (RuntimeException | Error e) {
            targets.giveBack(batch);
            LOG.log(Level.ERROR, "A delivery failed before the listener was called; its events return to the store", e);
            return null;
        }
        if (secured.isEmpty()) {
            return null;
        }
        Run run = new Run(secured, recipient);
        run.begin();
        return run;
    }

    /** Returns the events that this node certainly still owns; the others are let go of, or given back. */
    private List<HeldEvent> secure(List<HeldEvent> batch, BooleanSupplier givesUp) {
        if (!leases.areKept()) {
            return batch;
        }
        while (!givesUp.getAsBoolean()) {
            try {
                leases.secure(batch);
                return withoutLost(batch);
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "Cannot renew the locks of " + batch.size() + " events yet", e);
                LockSupport.parkNanos(LEASE_RETRY_NANOS);
            }
        }
        targets.giveBack(batch);
        return List.of();
    }

    private List<HeldEvent> withoutLost(List<HeldEvent> batch) {
        List<HeldEvent> ours = new ArrayList<>(batch.size());
        for (HeldEvent event : batch) {
            if (event.hold().isLost()) {
                completion.letGo(event.hold());
                targets.probeLost(event.eventType());
            } else if (!leases.areCertainBefore(event.hold())) {
                completion.giveBack(event.hold());
                targets.probeLost(event.eventType());
            } else {
                ours.add(event);
            }
        }
        return ours;
    }

    private void submit(HeldEvent event, Recipient recipient, Outcome outcome, Throwable error) {
        Supplier<Outcome> ifRefused = processor.outcomes().ifRefused(event, recipient);
        Hold.Place place = event.hold().place();
        if (place == null) {
            completion.submit(Completion.of(
                    event, outcome, new Completion.Failure(error, event.queued().attempts(), ifRefused)));
            return;
        }
        completion.submit(Completion.of(
                event,
                place.ended(outcome),
                new Completion.Failure(error, event.queued().attempts(), () -> place.instead(ifRefused.get()))));
        place.goOn();
    }

    /** One call of a listener, and how many of its events have ended. For one thread. */
    final class Run {

        private final List<HeldEvent> events;
        private final Recipient recipient;
        /** {@code null} if the events have ended before the listener had them. */
        private Processing processing;

        private int ended;
        private boolean listening = true;
        private boolean silent;

        private Run(List<HeldEvent> events, Recipient recipient) {
            this.events = events;
            this.recipient = recipient;
        }

        private void begin() {
            try {
                reportWaits();
                processing = processor.begin(events, recipient, this::silent);
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        List<HeldEvent> events() {
            return events;
        }

        /** Runs the action as soon as the end need not be waited for, on any thread. */
        void whenAnswered(Runnable action) {
            if (processing == null) {
                action.run();
            } else {
                processing.whenAnswered(action);
            }
        }

        /**
         * Waits for the listener and ends each event; never throws.
         *
         * @param forced whether listeners are told to stop
         */
        void end(BooleanSupplier forced) {
            if (processing == null) {
                return;
            }
            try {
                List<Result> results = processing.results();
                listened();
                boolean cutShort = forced.getAsBoolean();
                Thread.interrupted(); // an interrupt meant for the listener must not disturb the worker
                end(results, cutShort);
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void fail(Throwable error) {
            listened();
            endAll(error);
            LOG.log(Level.ERROR, "A delivery failed outside of its listener; that counts as an attempt", error);
        }

        /** Notes, while the listener has the events, that their target does not answer; it keeps them. */
        private void silent(RouteUnavailableException reason) {
            Runnable news;
            synchronized (this) {
                if (!listening || !hasCircuits) {
                    return;
                }
                silent = true;
                news = targets.silent(events.get(0).eventType(), reason);
            }
            news.run();
        }

        private synchronized void listened() {
            listening = false;
        }

        private void reportWaits() {
            if (!metrics.isOff()) {
                events.forEach(event -> metrics.recordDispatchLatency(
                        event.eventType(), event.hold().queuedNanos()));
            }
        }

        /** Ends each event as its result says. */
        private void end(List<Result> results, boolean cutShort) {
            List<HeldEvent> unavailable = new ArrayList<>(0);
            RouteUnavailableException cause = null;
            boolean answered = false;
            for (Result result : results) {
                HeldEvent event = events.get(ended);
                if (cutShort && mayBeDueToTheEnd(result)) {
                    completion.giveBack(event.hold());
                } else if (result.error() instanceof RouteUnavailableException reason && hasCircuits) {
                    cause = reason;
                    unavailable.add(event);
                } else {
                    answered |= result.answered();
                    Outcome outcome = processor.afterFallback(event, recipient, result);
                    targets.ended(event, outcome, result.error());
                    submit(event, recipient, outcome, result.error());
                }
                ended++;
            }
            String eventType = events.get(0).eventType();
            if (!unavailable.isEmpty()) {
                targets.unavailable(eventType, unavailable, cause);
            } else if (answered) {
                targets.answered(eventType);
            } else {
                toldNothing(eventType);
            }
        }

        /**
         * Returns whether the attempt may have failed because it was interrupted, so that nothing is said about the
         * event.
         */
        private static boolean mayBeDueToTheEnd(Result result) {
            return result.error() != null && !(result.error() instanceof UnrecoverableException);
        }

        /** Ends what has not ended yet, after a failure that no listener is to blame for. */
        private void endAll(Throwable error) {
            for (; ended < events.size(); ended++) {
                HeldEvent event = events.get(ended);
                try {
                    Outcome outcome = processor.outcomes().blameless(event, recipient, error);
                    Result result = new Result(outcome, error, false, event.envelope());
                    submit(event, recipient, processor.afterFallback(event, recipient, result), error);
                } catch (RuntimeException | Error again) {
                    completion.giveBack(event.hold());
                }
                toldNothing(event.eventType());
            }
        }

        private void toldNothing(String eventType) {
            if (silent) {
                targets.silenceEnded(eventType);
            } else {
                targets.probeLost(eventType);
            }
        }
    }
}
