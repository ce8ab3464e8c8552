package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.spi.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Outcomes that the store does not take while it takes others. Each waits here, its event still in hand so that nobody
 * delivers it again, and is tried again after a pause that grows. When the store has refused the values themselves
 * several times, a failed attempt is written in their place, in plain text; the event then comes again by the retry
 * policy, and is dead in the end.
 *
 * <p>Outcomes whose rows another program has locked are apart. They are tried a batch at a time, because the store may
 * wait for a moment to find out what is locked. While a batch is locked as a whole, the next one waits for the pause;
 * otherwise it follows immediately. Their number is limited by the memory that their holds take, not here: a program
 * can lock any number of rows with one statement, and the outcomes of all other events must still be written. Used by
 * one thread.
 */
final class RefusedOutcomes {

    private static final int REFUSALS = 3;
    private static final int MOST_REFUSED = 1024;
    private static final int BATCH = 512;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** For those that may only have had bad luck with the store's connections, and those that are locked. */
    private static final long LONGEST_PAUSE_UNREFUSED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<Entry> refused = new ArrayList<>();
    private final Queue<Entry> locked = new ArrayDeque<>();
    private Pause untilUnlocked = new Pause();

    private static final class Pause {
        private long nanos = FIRST_PAUSE_NANOS;
        private long endsAt = System.nanoTime() + nanos;

        boolean isOver(long now) {
            return endsAt - now <= 0;
        }

        void end() {
            nanos = FIRST_PAUSE_NANOS;
            endsAt = System.nanoTime();
        }

        void grow(long longest) {
            nanos = Math.min(nanos * 2, longest);
            endsAt = System.nanoTime() + nanos;
        }
    }

    private static final class Entry {
        private final Completion completion;
        private final Pause pause = new Pause();
        private int refusals;

        Entry(Completion completion) {
            this.completion = completion;
        }
    }

    /** Keeps an outcome; returns false if there is no room for it. */
    boolean add(Completion completion, Answer answer) {
        Entry entry = new Entry(completion);
        if (answer == Answer.LOCKED) {
            addLocked(entry);
            return true;
        }
        entry.refusals = answer == Answer.REFUSED ? 1 : 0;
        return addRefused(entry);
    }

    private void addLocked(Entry entry) {
        if (locked.isEmpty()) {
            untilUnlocked = new Pause();
        }
        locked.add(entry);
    }

    private boolean addRefused(Entry entry) {
        return refused.size() < MOST_REFUSED && refused.add(entry);
    }

    /** Returns the time until the first of them is due. */
    long nanosToNext() {
        long now = System.nanoTime();
        long next = locked.isEmpty() ? Long.MAX_VALUE : untilUnlocked.endsAt - now;
        for (Entry entry : refused) {
            next = Math.min(next, entry.pause.endsAt - now);
        }
        return next;
    }

    /** What became of an outcome. */
    enum Answer {
        WRITTEN,
        REFUSED,
        FAILED,
        /** Somebody else has locked the event in the store. */
        LOCKED
    }

    /** Writes outcomes together and tells what became of each. */
    @FunctionalInterface
    interface Attempt {
        Map<Hold, Answer> write(List<Completion> completions);
    }

    /** Tries those that are due, or all of them; of those that are locked, as long as some of each batch are not. */
    void retry(Attempt attempt, boolean all) {
        long now = System.nanoTime();
        if (!locked.isEmpty() && (all || untilUnlocked.isOver(now))) {
            retryLocked(attempt, all);
        }
        for (Entry entry : List.copyOf(refused)) {
            if (all || entry.pause.isOver(now)) {
                retryRefused(attempt, entry);
            }
        }
    }

    private void retryLocked(Attempt attempt, boolean all) {
        int left = locked.size();
        boolean anyWritten;
        do {
            anyWritten = retryBatch(attempt, Math.min(left, BATCH));
            left -= BATCH;
        } while (all && anyWritten && left > 0);
        if (anyWritten) {
            untilUnlocked.end();
        } else {
            untilUnlocked.grow(LONGEST_PAUSE_UNREFUSED_NANOS);
        }
    }

    /** Tries the outcomes that have waited longest; returns whether the store has taken some of them. */
    private boolean retryBatch(Attempt attempt, int size) {
        List<Entry> batch = locked.stream().limit(size).toList();
        Map<Hold, Answer> answers = write(attempt, batch);
        boolean anyWritten = false;
        for (Entry entry : batch) {
            locked.remove();
            Answer answer = answers.getOrDefault(entry.completion.hold(), Answer.FAILED);
            anyWritten |= answer == Answer.WRITTEN;
            if (answer == Answer.LOCKED || (answer != Answer.WRITTEN && !addRefused(entry))) {
                locked.add(entry);
            }
        }
        return anyWritten;
    }

    private void retryRefused(Attempt attempt, Entry entry) {
        Answer answer = write(attempt, List.of(entry)).getOrDefault(entry.completion.hold(), Answer.FAILED);
        entry.refusals += answer == Answer.REFUSED ? 1 : 0;
        entry.pause.grow(entry.refusals > 0 ? LONGEST_PAUSE_NANOS : LONGEST_PAUSE_UNREFUSED_NANOS);
        if (answer == Answer.WRITTEN || answer == Answer.LOCKED) {
            refused.remove(entry);
        }
        if (answer == Answer.LOCKED) {
            addLocked(entry);
        }
    }

    private static Map<Hold, Answer> write(Attempt attempt, List<Entry> entries) {
        return attempt.write(entries.stream().map(RefusedOutcomes::next).toList());
    }

    private static Completion next(Entry entry) {
        if (entry.refusals < REFUSALS) {
            return entry.completion.with(inPlainText(entry.completion.outcome()));
        }
        return entry.completion.with(
                inPlainText(entry.completion.failure().ifRefused().get()));
    }

    /** Removes and returns all of them, for an end that leaves no time. */
    List<Completion> clear() {
        List<Completion> all = Stream.of(refused, locked)
                .flatMap(Collection::stream)
                .map(entry -> entry.completion)
                .toList();
        refused.clear();
        locked.clear();
        return all;
    }

    /** Returns the outcome without characters that a database may not know. */
    private static Outcome inPlainText(Outcome outcome) {
        if (outcome instanceof Outcome.Failed failed) {
            return new Outcome.Failed(
                    failed.eventId(),
                    failed.retryAt(),
                    failed.attempts(),
                    failed.maxAttempts(),
                    inPlainText(failed.error()));
        }
        return outcome instanceof Outcome.Dead dead
                ? new Outcome.Dead(dead.eventId(), inPlainText(dead.error()))
                : outcome;
    }

    private static String inPlainText(String error) {
        return error == null ? null : error.replaceAll("[^\\x20-\\x7E\\n\\t]", "?");
    }
}
