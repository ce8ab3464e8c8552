package io.outbox.soak.node;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.EventKind;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Does to an event what its kind asks for, and notes when it began and how it ended. Thread-safe. */
final class Listener implements EventListener {

    private static final Duration SHORT_WORK = Duration.ofMillis(8);
    private static final Duration SLOW_WORK = Duration.ofMillis(300);
    private static final Duration PUT_OFF = Duration.ofMillis(300);

    private final Deliveries deliveries;
    private final Duration longWork;
    private final Set<String> seen = ConcurrentHashMap.newKeySet();

    Listener(Deliveries deliveries, Duration lease) {
        this.deliveries = deliveries;
        this.longWork = lease.multipliedBy(5).dividedBy(4);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope event) throws InterruptedException {
        long delivery = deliveries.begin(event.eventId());
        Answer answer = Answer.AGAIN;
        try {
            DispatchResult result = work(EventKind.valueOf(event.eventType()), event.eventId());
            answer = answer(result);
            return result;
        } finally {
            deliveries.end(delivery, answer);
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
            case PUBLISHED -> throw new IllegalArgumentException("has a listener of its own");
        };
    }

    private Duration duration(EventKind kind) {
        return switch (kind) {
            case SLOW -> SLOW_WORK;
            case LONG -> longWork;
            default -> SHORT_WORK;
        };
    }

    static Answer answer(DispatchResult result) {
        if (result instanceof DispatchResult.Done) {
            return Answer.DONE;
        }
        return result instanceof DispatchResult.Dead ? Answer.DEAD : Answer.AGAIN;
    }
}
