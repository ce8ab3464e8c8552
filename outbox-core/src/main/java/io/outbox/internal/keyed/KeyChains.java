package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.completion.Completion;
import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget.Share;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.ownership.Patience;
import io.outbox.spi.DueEvent;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedPage.KeyedEvent;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The chains that this node has in its hands: makes them of what a look has found, and has their keys looked at
 * afterwards.
 */
final class KeyChains {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    /** A chain that was cut short for a reason that nothing tells the end of. */
    static final long SHORT_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final OwnedEvents owned;
    private final CompletionWriter completion;
    private final EngineMetrics metrics;
    private final KeyTarget target;
    private final Share share;
    private final boolean parks;
    private final KeyQueue queue;
    private final KeyMeter meter;
    private final Clock clock;
    private final Supplier<Instant> dueUntil;
    private final Map<String, KeyChain> chains = new ConcurrentHashMap<>();
    private final Map<KeyLane, KeyLoad> loads = new ConcurrentHashMap<>();

    /** What chains need of the loop that looks for them. */
    record Loop(KeyQueue queue, KeyMeter meter, Clock clock, Supplier<Instant> dueUntil) {}

    KeyChains(KeyLoop.Engine engine, KeyTarget target, Share share, boolean parks, Loop loop) {
        this.owned = engine.owned();
        this.completion = engine.completion();
        this.metrics = engine.metrics();
        this.target = target;
        this.share = share;
        this.parks = parks;
        this.queue = loop.queue;
        this.meter = loop.meter;
        this.clock = loop.clock;
        this.dueUntil = loop.dueUntil;
    }

    /** Returns whether something of the key is in this node's hands. */
    boolean has(String key) {
        return chains.containsKey(key);
    }

    /** Returns what is in this node's hands of a lane. */
    KeyLoad load(KeyLane lane) {
        return loads.computeIfAbsent(lane, KeyLoad::new);
    }

    /** Returns what is in this node's hands of each lane. */
    List<KeyLoad> loads() {
        return target.lanes().stream().map(this::load).toList();
    }

    /** Makes chains of what the store has given, and begins with them. */
    void handOver(KeyedPage page, String holder, long sentAt) {
        Map<String, List<KeyedEvent>> byKey = new LinkedHashMap<>();
        page.events()
                .forEach(event -> byKey.computeIfAbsent(event.key(), key -> new ArrayList<>())
                        .add(event));
        Patience patience = new Patience();
        byKey.forEach((key, events) -> {
            List<Hold> holds = new ArrayList<>(events.size());
            for (KeyedEvent event : events) {
                String id = event.row().eventId();
                holds.add(holder == null ? owned.acquireKeyed(id) : owned.acquireClaimed(id, holder, sentAt, patience));
            }
            begin(key, events, holds);
        });
    }

    /**
     * Makes a chain of those events that nobody else has, up to the first that cannot be part of it, and no more than
     * its lane has room for; gives back the rest.
     */
    private void begin(String key, List<KeyedEvent> events, List<Hold> holds) {
        KeyChain chain = new KeyChain(key, parks, clock, surroundings);
        KeyLoad load = load(target.laneOf(events.get(0).row().event().eventType()));
        int most = Math.min(events.size(), Math.max(1, load.freeEvents()));
        int taken = 0;
        try {
            while (taken < most && holds.get(taken) != null && join(chain, events.get(taken), holds.get(taken))) {
                taken++;
            }
            RuntimeException unreadable = taken == 0 && holds.get(0) != null
                    ? whyUnreadable(events.get(0).row())
                    : null;
            if (unreadable != null) {
                taken = 1;
                bury(chain, load, events.get(0).row(), holds.get(0), unreadable);
            } else if (taken == 0) {
                queue.addIn(key, SHORT_PAUSE_NANOS);
            } else {
                metrics.coldEnqueued(taken);
                meter.taken(key, events.subList(0, taken));
                chains.put(key, chain);
                chain.countIn(load);
                chain.begin();
            }
        } finally {
            for (Hold hold : holds.subList(taken, holds.size())) {
                if (hold != null) {
                    completion.giveBack(hold);
                }
            }
            if (taken > 0 && taken < holds.size()) {
                queue.addIn(key, SHORT_PAUSE_NANOS); // the chain may end before the rest is given back
            }
        }
    }

    /** Appends an event to a chain; returns false if it cannot be read, or if there is no memory for it to wait in. */
    private boolean join(KeyChain chain, KeyedEvent keyed, Hold hold) {
        DueEvent row = keyed.row();
        EventEnvelope envelope;
        try {
            envelope = EventEnvelope.restore(row.event());
        } catch (RuntimeException e) {
            return false;
        }
        HeldEvent event = new HeldEvent(
                new QueuedEvent(envelope, Source.COLD, row.event().attempts()),
                row.lastError(),
                row.event().availableAt(),
                hold);
        if (chain.size() > 0 && !hold.takeRoom(share, event.bytes())) {
            return false;
        }
        chain.add(event, keyed.number());
        return true;
    }

    private static RuntimeException whyUnreadable(DueEvent row) {
        try {
            EventEnvelope.restore(row.event());
            return null;
        } catch (RuntimeException e) {
            return e;
        }
    }

    /** Ends an event that nobody can read. */
    private void bury(KeyChain chain, KeyLoad load, DueEvent row, Hold hold, RuntimeException reason) {
        LOG.log(Level.ERROR, "Event " + row.eventId() + " cannot be decoded", reason);
        Hold.Place place = chain.addEnded(hold);
        chains.put(chain.key(), chain);
        chain.countIn(load);
        Outcome outcome = place.ended(new Outcome.Dead(row.eventId(), reason.toString()));
        completion.submit(Completion.undecodable(hold, row.event(), outcome, reason));
    }

    private final KeyChain.Surroundings surroundings = new KeyChain.Surroundings() {
        @Override
        public boolean offer(KeyChain chain, HeldEvent event) {
            chain.countIn(load(target.laneOf(event.eventType())));
            return target.offer(event);
        }

        @Override
        public void giveBack(Hold hold) {
            completion.giveBack(hold);
        }

        @Override
        public void over(KeyChain chain) {
            chains.remove(chain.key(), chain);
            lookAgain(chain);
            queue.poke();
        }

        @Override
        public void done(KeyChain chain, long number) {
            meter.done(chain.key(), number);
        }

        @Override
        public void failedForGood(KeyChain chain, boolean isParked) {
            if (isParked) {
                metrics.incrementKeyedParked();
            } else {
                metrics.incrementKeyedSkipped();
            }
        }

        @Override
        public void parked(KeyChain chain, Outcome.Failed outcome) {
            LOG.log(
                    Level.ERROR,
                    "Event {0} has failed for good and blocks its key {1}: no later event of the key is delivered until it is"
                            + " resumed or skipped",
                    outcome.eventId(),
                    chain.key());
        }
    };

    /** Looks for what follows; after an event that is not done, when it is due again. */
    private void lookAgain(KeyChain chain) {
        Instant retryAt = chain.retryAt();
        if (chain.isDone() || (retryAt != null && retryAt.equals(Instant.EPOCH))) {
            queue.add(chain.key());
        } else if (retryAt == null) {
            queue.addIn(chain.key(), SHORT_PAUSE_NANOS);
        } else if (retryAt.isBefore(KeyHead.PARKED_UNTIL)) {
            queue.addIn(chain.key(), Duration.between(dueUntil.get(), retryAt).toNanos() + 1_000_000);
        }
    }
}
