package io.outbox.soak.node;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.Begun;
import io.outbox.soak.ledger.Entry.Ended;
import io.outbox.soak.ledger.EventKind;
import io.outbox.soak.ledger.Ledger;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Does to an event what its kind asks for, and notes when it began and how it ended. Thread-safe. */
final class Listener implements EventListener {

    private static final Duration SHORT_WORK = Duration.ofMillis(8);
    private static final Duration SLOW_WORK = Duration.ofMillis(300);
    private static final Duration PUT_OFF = Duration.ofMillis(300);

    private final Ledger ledger;
    private final Duration longWork;
    private final AtomicLong deliveries = new AtomicLong();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    Listener(Ledger ledger, Duration lease) {
        this.ledger = ledger;
        this.longWork = lease.multipliedBy(5).dividedBy(4);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) throws InterruptedException {
        long delivery = deliveries.incrementAndGet();
        ledger.append(new Begun(delivery, event.eventId(), Instant.now()));
        Answer answer = Answer.AGAIN;
        try {
            DispatchResult result = work(EventKind.valueOf(event.eventType()), event.eventId());
            answer = answer(result);
            return result;
        } finally {
            ledger.append(new Ended(delivery, Instant.now(), answer));
        }
    }

    private DispatchResult work(EventKind kind, String eventId) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(duration(kind).toNanos());
        return switch (kind) {
            case PLAIN, DELAYED, SLOW, LONG -> DispatchResult.done();
            case FAILING -> {
                if (seen.add(eventId)) {
                    throw new IllegalStateException("fails the first time");
                }
                yield DispatchResult.done();
            }
            case DEFERRED -> seen.add(eventId) ? DispatchResult.retryAfter(PUT_OFF) : DispatchResult.done();
            case HOPELESS -> DispatchResult.dead("hopeless");
        };
    }

    private Duration duration(EventKind kind) {
        return switch (kind) {
            case SLOW -> SLOW_WORK;
            case LONG -> longWork;
            default -> SHORT_WORK;
        };
    }

    private static Answer answer(DispatchResult result) {
        if (result instanceof DispatchResult.Done) {
            return Answer.DONE;
        }
        return result instanceof DispatchResult.Dead ? Answer.DEAD : Answer.AGAIN;
    }
}
