package io.outbox.internal.completion;

import io.outbox.internal.ownership.Hold;
import io.outbox.spi.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Outcomes that the store does not take while it takes others. Each waits here, its event still in hand so that nobody
 * delivers it again, and is tried again after a pause that grows. When the store has refused the values themselves several
 * times, a failed attempt is written in their place, in plain text; the event then comes again by the retry policy, and is
 * dead in the end. Those that wait for somebody else's lock are tried together: the store may wait for a moment to find out,
 * and that moment must not be one for each of them. Used by one thread.
 */
final class RefusedOutcomes {

    private static final int REFUSALS = 3;
    private static final int MOST = 1024;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(60);
    /** For those that may only have had bad luck with the store's connections. */
    private static final long LONGEST_PAUSE_UNREFUSED_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final List<Entry> entries = new ArrayList<>();

    private static final class Entry {
        private final Completion completion;
        private int refusals;
        private boolean locked;
        private long pauseNanos = FIRST_PAUSE_NANOS;
        private long dueAt = System.nanoTime() + FIRST_PAUSE_NANOS;

        Entry(Completion completion) {
            this.completion = completion;
        }
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    boolean isFull() {
        return entries.size() >= MOST;
    }

    void add(Completion completion, Answer answer) {
        Entry entry = new Entry(completion);
        entry.refusals = answer == Answer.REFUSED ? 1 : 0;
        entry.locked = answer == Answer.LOCKED;
        entries.add(entry);
    }

    /** Returns the time until the first of them is due. */
    long nanosToNext() {
        long now = System.nanoTime();
        return entries.stream().mapToLong(entry -> entry.dueAt - now).min().orElse(Long.MAX_VALUE);
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

    /** Tries those that are due, or all of them. */
    void retry(Attempt attempt, boolean all) {
        if (entries.isEmpty()) {
            return;
        }
        long now = System.nanoTime();
        List<Entry> due =
                entries.stream().filter(entry -> all || entry.dueAt - now <= 0).toList();
        retryTogether(attempt, due.stream().filter(entry -> entry.locked).toList());
        due.stream().filter(entry -> !entry.locked).forEach(entry -> retryTogether(attempt, List.of(entry)));
    }

    private void retryTogether(Attempt attempt, List<Entry> due) {
        if (due.isEmpty()) {
            return;
        }
        Map<Hold, Answer> answers =
                attempt.write(due.stream().map(RefusedOutcomes::next).toList());
        for (Entry entry : due) {
            Answer answer = answers.getOrDefault(entry.completion.hold(), Answer.FAILED);
            if (answer == Answer.WRITTEN) {
                entries.remove(entry);
            } else {
                tryLater(entry, answer);
            }
        }
    }

    private static void tryLater(Entry entry, Answer answer) {
        entry.refusals += answer == Answer.REFUSED ? 1 : 0;
        entry.locked = answer == Answer.LOCKED;
        long longest = entry.refusals > 0 ? LONGEST_PAUSE_NANOS : LONGEST_PAUSE_UNREFUSED_NANOS;
        entry.pauseNanos = Math.min(entry.pauseNanos * 2, longest);
        entry.dueAt = System.nanoTime() + entry.pauseNanos;
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
        List<Completion> all = entries.stream().map(entry -> entry.completion).toList();
        entries.clear();
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
