package io.outbox.internal.keyed;

import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.spi.KeyHead;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * The events of one key that this node has in its hands, in order. One at a time is queued for its listener; the next
 * follows when it is done, also before that is durable. The first that is not done ends the chain: what follows goes
 * back to the store, and the lock of that event protects the key until its outcome is written. Thread-safe.
 */
final class KeyChain {

    /** What a chain asks of its surroundings. Called without the chain's lock. */
    interface Surroundings {

        boolean offer(KeyChain chain, HeldEvent event);

        void giveBack(Hold hold);

        /** Told when nothing of the chain is in this node's hands any more. */
        void over(KeyChain chain);

        /** Told of an event that has failed for good and keeps its place, before that is durable. */
        void parked(KeyChain chain, Outcome.Failed outcome);

        /** Told of an event that is done, when that is durable. */
        void done(KeyChain chain, long number);

        /** Told of an event that has failed for good, when that is durable; it keeps its place, or the key goes on. */
        void failedForGood(KeyChain chain, boolean isParked);
    }

    private final String key;
    private final boolean parks;
    private final Clock clock;
    private final Surroundings surroundings;
    private final Deque<Link> waiting = new ArrayDeque<>();
    private final List<Link> unwritten = new ArrayList<>();
    private int open;
    private KeyLoad load;
    private boolean isBroken;
    private Instant retryAt;

    /** @param parks whether an event that fails for good keeps its place */
    KeyChain(String key, boolean parks, Clock clock, Surroundings surroundings) {
        this.key = key;
        this.parks = parks;
        this.clock = clock;
        this.surroundings = surroundings;
    }

    String key() {
        return key;
    }

    /** Appends an event; to be called before the chain begins. */
    void add(HeldEvent event, long number) {
        Link link = new Link(event, number);
        event.hold().keepOrder(link);
        waiting.add(link);
        open++;
    }

    /** Gives an event a place whose outcome is known without its listener: it is all there is to the chain. */
    Hold.Place addEnded(Hold hold) {
        Link link = new Link(null, 0);
        hold.keepOrder(link);
        open++;
        return link;
    }

    int size() {
        return open;
    }

    /** Counts it in another lane from now on. */
    synchronized void countIn(KeyLoad next) {
        if (load != next) {
            if (load != null) {
                load.leave(open);
            }
            next.enter(open);
            load = next;
        }
    }

    /** Queues the first event. */
    void begin() {
        offerNext();
    }

    /** Returns when the key is worth a look after a chain that was cut short, or {@code null} if nothing tells. */
    synchronized Instant retryAt() {
        return retryAt;
    }

    /** Returns whether all of its events were done. */
    synchronized boolean isDone() {
        return !isBroken;
    }

    private void offerNext() {
        Link next;
        synchronized (this) {
            next = isBroken ? null : waiting.poll();
        }
        if (next != null) {
            HeldEvent event = next.release();
            boolean queued = false;
            try {
                queued = surroundings.offer(KeyChain.this, event);
            } finally {
                if (!queued) {
                    surroundings.giveBack(event.hold());
                }
            }
        }
    }

    /** Lets nothing more of the chain begin; returns what is to be given back. */
    private List<Link> cut() {
        isBroken = true;
        List<Link> rest = List.copyOf(waiting);
        waiting.clear();
        return rest;
    }

    private void giveBack(List<Link> rest) {
        rest.forEach(link -> surroundings.giveBack(link.release().hold()));
    }

    /** One event of the chain. */
    private final class Link implements Hold.Place {

        private final long number;
        private HeldEvent event;
        private Hold hold;
        private boolean isDone;
        private boolean isClosed;
        /** Whether it has failed for good: it stays, or is DEAD. */
        private boolean isOver;

        private Link(HeldEvent event, long number) {
            this.event = event;
            this.number = number;
        }

        /** Returns the event, which is no longer kept here: what is delivered need not stay in memory. */
        private HeldEvent release() {
            HeldEvent released = event;
            hold = released.hold();
            event = null;
            return released;
        }

        @Override
        public Outcome ended(Outcome outcome) {
            Outcome written = instead(outcome);
            List<Link> rest = List.of();
            synchronized (KeyChain.this) {
                isDone = written instanceof Outcome.Done;
                isOver = written != outcome || written.isLast();
                if (isDone) {
                    unwritten.add(this);
                } else {
                    retryAt = retryTime(written);
                    rest = cut();
                }
            }
            giveBack(rest);
            if (written != outcome && written instanceof Outcome.Failed failed) {
                surroundings.parked(KeyChain.this, failed);
            }
            return written;
        }

        private static Instant retryTime(Outcome outcome) {
            return outcome instanceof Outcome.Failed failed
                    ? failed.retryAt()
                    : outcome instanceof Outcome.Deferred deferred ? deferred.until() : Instant.EPOCH;
        }

        /** Keeps an event where it is that has failed for good: due when nothing is, without an end of its attempts. */
        @Override
        public Outcome instead(Outcome outcome) {
            if (!parks) {
                return outcome;
            }
            if (outcome instanceof Outcome.Dead dead) {
                return parked(dead.eventId(), 0, dead.error());
            }
            if (outcome instanceof Outcome.Failed failed && failed.attempts() + 1 >= failed.maxAttempts()) {
                return parked(failed.eventId(), failed.attempts(), failed.error());
            }
            return outcome;
        }

        private Outcome.Failed parked(String eventId, int attempts, String error) {
            return new Outcome.Failed(eventId, KeyHead.parkedAt(clock.instant()), attempts, Integer.MAX_VALUE, error);
        }

        @Override
        public void goOn() {
            offerNext();
        }

        @Override
        public boolean allBefore(Predicate<Hold> isCertain) {
            synchronized (KeyChain.this) {
                return unwritten.stream().allMatch(before -> isCertain.test(before.hold));
            }
        }

        @Override
        public void closed() {
            List<Link> rest = List.of();
            boolean isLost;
            boolean isLast;
            synchronized (KeyChain.this) {
                if (isClosed) {
                    return;
                }
                isClosed = true;
                open--;
                unwritten.remove(this);
                isLost = hold != null && hold.isLost();
                if (!isDone || isLost) {
                    rest = cut();
                }
                isLast = open == 0;
                if (load != null) {
                    load.eventEnded();
                    if (isLast) {
                        load.leave(0);
                    }
                }
            }
            giveBack(rest);
            if (!isLost) {
                tellEnd();
            }
            if (isLast) {
                surroundings.over(KeyChain.this);
            }
        }

        private void tellEnd() {
            if (isDone) {
                surroundings.done(KeyChain.this, number);
            } else if (isOver) {
                surroundings.failedForGood(KeyChain.this, parks);
            }
        }
    }
}
