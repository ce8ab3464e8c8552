package io.outbox.internal.completion;

import io.outbox.internal.completion.RefusedOutcomes.Answer;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.watch.Turns;
import io.outbox.internal.watch.WatchedBackend;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Writes outcomes and tells what to do about those that the store does not take. Used by one thread at a time.
 *
 * <p>A failure may have two reasons. If the store cannot be reached, the same outcomes are written later, as they are.
 * If the store refuses the values of one of them, or goes on failing while it may be that one's fault, that one is
 * looked for by halving: those that the store takes are done, and the others are set aside as {@link RefusedOutcomes}.
 * As long as the store takes none, none is to blame. Events that somebody else has locked are named by the store
 * itself, and set aside in the same way.
 */
final class OutcomeWriter {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** Failures in a row after which the search begins for one outcome that may be the cause. */
    private static final int SUSPICIOUS = 3;

    /** Failures without a success that are enough to come down to one outcome of a full batch, and to another. */
    private static final int MOST_FAILURES = 12;

    private final Store store;
    private final Store again;
    private final EngineMetrics metrics;
    private final Durable durable;
    private final HoldEnds ends;
    private final Turns turns;
    private final RefusedOutcomes refused = new RefusedOutcomes();
    private final Strangers strangers;
    private int failures;

    /**
     * Creates a writer.
     *
     * @param turns taken with the poller where a claim cannot be given back. An event whose outcome makes it due again
     * must
     *     not be claimed before its hold has ended: the claim would be in vain, and lock the event until the lease is over
     */
    OutcomeWriter(DeliveryBackend backend, EngineMetrics metrics, Durable durable, HoldEnds ends, Turns turns) {
        this.store = backend::apply;
        this.again = backend instanceof WatchedBackend watched ? watched::applyAgain : store;
        this.metrics = metrics;
        this.durable = durable;
        this.ends = ends;
        this.turns = turns;
        this.strangers = new Strangers(backend, System::nanoTime);
    }

    /** Makes outcomes durable, see {@link DeliveryBackend#apply}. */
    @FunctionalInterface
    private interface Store {
        Map<String, EventStatus> apply(String holder, List<Outcome> outcomes);
    }

    RefusedOutcomes refused() {
        return refused;
    }

    /**
     * Writes outcomes of any holder, and removes those from the map that are written or set aside.
     *
     * @throws RuntimeException if the store takes none
     */
    void write(Map<Hold, Completion> inHand) {
        Search search = new Search(inHand, failures >= SUSPICIOUS);
        failures++;
        byHolder(inHand.values()).forEach(search::write);
        search.end();
        failures = 0;
    }

    private static Collection<List<Completion>> byHolder(Collection<Completion> batch) {
        Map<String, List<Completion>> groups = new LinkedHashMap<>();
        batch.forEach(completion -> groups.computeIfAbsent(completion.holder(), holder -> new ArrayList<>())
                .add(completion));
        return groups.values();
    }

    /** One write of outcomes, and the search for those that spoil it. */
    private final class Search {

        private final Map<Hold, Completion> inHand;
        private final boolean suspicious;
        private final List<Completion> failed = new ArrayList<>();
        private RuntimeException lastFailure;
        private int failures;
        private boolean anyTaken;

        private Search(Map<Hold, Completion> inHand, boolean suspicious) {
            this.inHand = inHand;
            this.suspicious = suspicious;
        }

        /** Writes outcomes of one holder. Those of the next have their turn even if the store takes none of these. */
        private void write(List<Completion> group) {
            failures = 0;
            try {
                writeOrHalve(group);
            } catch (RuntimeException e) {
                if (!suspicious) {
                    throw e;
                }
            }
        }

        private void end() {
            if (lastFailure != null && !anyTaken) {
                throw lastFailure;
            }
            failed.forEach(completion -> setAside(inHand, completion, lastFailure));
        }

        /** Writes all, or else each half, down to the one that the store does not take. */
        private void writeOrHalve(List<Completion> part) {
            try {
                apply(store, part);
                part.forEach(completion -> inHand.remove(completion.hold()));
                anyTaken = true;
            } catch (EventsLockedException e) {
                writeUnlocked(part, e);
            } catch (RuntimeException e) {
                boolean refusal = isRefusal(e);
                if (!refusal) {
                    requireWorthwhile(e);
                }
                if (part.size() > 1) {
                    writeOrHalve(part.subList(0, part.size() / 2));
                    writeOrHalve(part.subList(part.size() / 2, part.size()));
                } else if (refusal) {
                    setAside(inHand, part.get(0), e);
                } else {
                    failed.add(part.get(0));
                }
            }
        }

        private void writeUnlocked(List<Completion> part, EventsLockedException e) {
            Parts parts = Parts.of(part, e);
            LOG.log(
                    Level.WARNING,
                    e.getMessage() + ". Outcomes of these events are kept; delivery of others continues");
            anyTaken = true;
            parts.locked.forEach(completion -> setAside(inHand, completion, Answer.LOCKED));
            if (!parts.others.isEmpty()) {
                writeOrHalve(parts.others);
            }
        }

        /** Ends the search if it looks as if the store took none, whatever they are. */
        private void requireWorthwhile(RuntimeException failure) {
            lastFailure = failure;
            failures++;
            if (!suspicious || (!anyTaken && failures > MOST_FAILURES)) {
                throw failure;
            }
        }
    }

    /** Outcomes of events that somebody else has locked, and the others of a part. */
    private record Parts(List<Completion> locked, List<Completion> others) {

        static Parts of(List<Completion> part, EventsLockedException e) {
            Map<Boolean, List<Completion>> parts = part.stream()
                    .collect(Collectors.partitioningBy(completion ->
                            e.eventIds().contains(completion.hold().eventId())));
            if (parts.get(true).isEmpty()) {
                throw e; // the store has named none of them
            }
            return new Parts(parts.get(true), parts.get(false));
        }
    }

    /** What the store answered to a write; a status is missing where it refused. */
    private record Applied(Map<String, EventStatus> statuses, Duration took) {}

    private void apply(Store through, List<Completion> part) {
        Applied write = applyInTurn(through, part);
        Map<String, EventStatus> applied = write.statuses;
        metrics.recordCompletionBatchSize(part.size());
        part.forEach(completion ->
                durable.tell(completion, applied.get(completion.hold().eventId())));
        if (applied.containsValue(EventStatus.DEAD)) {
            List<OutboxEvent> dead = part.stream()
                    .filter(completion -> applied.get(completion.hold().eventId()) == EventStatus.DEAD)
                    .map(Completion::asStored)
                    .toList();
            durable.tellOfMoves(dead, write.took);
        }
    }

    /** Holds end before anybody is told, which takes its time: what is due again may be claimed from then on. */
    private Applied applyInTurn(Store through, List<Completion> part) {
        turns.begin();
        try {
            long begin = System.nanoTime();
            Map<String, EventStatus> applied = send(through, part);
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            if (applied.size() < part.size()) {
                strangers.lookAt(part.stream()
                        .filter(completion ->
                                !applied.containsKey(completion.hold().eventId()))
                        .toList());
            }
            for (Completion completion : part) {
                durable.count(completion, applied.get(completion.hold().eventId()));
                ends.close(completion.hold());
            }
            return new Applied(applied, took);
        } finally {
            turns.end();
        }
    }

    private Map<String, EventStatus> send(Store through, List<Completion> part) {
        try {
            return through.apply(
                    part.get(0).holder(), part.stream().map(Completion::outcome).toList());
        } catch (EventsLockedException e) {
            throw e; // nothing has taken effect
        } catch (RuntimeException | Error e) {
            part.forEach(completion -> completion.hold().contest()); // it may have taken effect
            durable.tellOfFailedMoves((int) part.stream()
                    .filter(completion -> completion.outcome().isLast())
                    .count());
            throw e;
        }
    }

    private void setAside(Map<Hold, Completion> inHand, Completion completion, RuntimeException reason) {
        LOG.log(
                Level.ERROR,
                "The store does not take the outcome of event "
                        + completion.hold().eventId() + "; it is set aside and tried again, and delivery continues",
                reason);
        setAside(inHand, completion, isRefusal(reason) ? Answer.REFUSED : Answer.FAILED);
    }

    private void setAside(Map<Hold, Completion> inHand, Completion completion, Answer answer) {
        if (refused.add(completion, answer)) {
            inHand.remove(completion.hold());
        }
    }

    private static boolean isRefusal(RuntimeException e) {
        return e instanceof OutboxBackendException failure && failure.isRefusal();
    }

    /** Tries those set aside that are due, or all of them. */
    void retryRefused(boolean all) {
        refused.retry(this::writeAgain, all);
    }

    private Map<Hold, Answer> writeAgain(List<Completion> completions) {
        Map<Hold, Answer> answers = new HashMap<>();
        byHolder(completions).forEach(part -> writeAgain(part, answers));
        return answers;
    }

    private void writeAgain(List<Completion> part, Map<Hold, Answer> answers) {
        try {
            apply(again, part);
            part.forEach(completion -> answers.put(completion.hold(), Answer.WRITTEN));
        } catch (EventsLockedException e) {
            Parts parts = Parts.of(part, e);
            parts.locked.forEach(completion -> answers.put(completion.hold(), Answer.LOCKED));
            if (!parts.others.isEmpty()) {
                writeAgain(parts.others, answers);
            }
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "The store still does not take outcomes that were set aside", e);
            Answer answer = isRefusal(e) && part.size() == 1 ? Answer.REFUSED : Answer.FAILED;
            part.forEach(completion -> answers.put(completion.hold(), answer));
        }
    }

    /** Returns the one time for all outcomes of a batch that mean success; {@code null} if there is none. */
    static Instant timeOf(Collection<Completion> batch) {
        for (Completion completion : batch) {
            if (completion.outcome() instanceof Outcome.Done done) {
                return done.at();
            }
        }
        return null;
    }

    /** Returns the completion with that time, by which a repetition of any part of its batch is recognised. */
    static Completion atTime(Instant at, Completion completion) {
        return completion.outcome() instanceof Outcome.Done done && !done.at().equals(at)
                ? completion.with(new Outcome.Done(done.eventId(), at, done.keep()))
                : completion;
    }
}
