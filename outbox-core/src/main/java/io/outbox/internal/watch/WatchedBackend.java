package io.outbox.internal.watch;

import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A backend whose calls are reported to a {@link StoreWatch}. A refusal is an answer too, and so is that somebody else has
 * locked some events.
 *
 * <p>Calls that change events in this node's hands go one after the other. Outcomes and renewals may be about the same events,
 * most of all after an outage, when both have waited for it; two statements that lock the same rows in different orders are a
 * deadlock, and a database takes a second to notice it: as long as others leave this node to speak first. A call that is
 * not answered holds the next one up for a moment only.
 */
public final class WatchedBackend implements DeliveryBackend {

    private final DeliveryBackend backend;
    private final StoreWatch watch;
    private final Turns changing = new Turns();

    public WatchedBackend(DeliveryBackend backend, StoreWatch watch) {
        this.backend = backend;
        this.watch = watch;
    }

    private <T> T call(Supplier<T> call) {
        watch.callBegins();
        try {
            T result = call.get();
            watch.callSucceeded();
            return result;
        } catch (RuntimeException | Error e) {
            if (isAnswer(e)) {
                watch.callSucceeded();
            } else {
                watch.callFailed();
            }
            throw e;
        }
    }

    private static boolean isAnswer(Throwable e) {
        return e instanceof EventsLockedException
                || (e instanceof OutboxBackendException refusal && refusal.isRefusal());
    }

    /** As {@link #apply}, for outcomes that have failed by themselves: that they fail again says nothing about the store. */
    public Map<String, EventStatus> applyAgain(String holder, List<Outcome> outcomes) {
        return inTurn(() -> inDoubt(() -> backend.apply(holder, outcomes)));
    }

    private <T> T change(Supplier<T> call) {
        return inTurn(() -> inDoubt(() -> call(call)));
    }

    /** Reports that the answer got lost of a call that may have taken effect. */
    private <T> T inDoubt(Supplier<T> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            if (!(e instanceof OutboxBackendException failure && failure.isWithoutEffect())) {
                watch.answerLost();
            }
            throw e;
        }
    }

    private <T> T inTurn(Supplier<T> call) {
        changing.begin();
        try {
            return call.get();
        } finally {
            changing.end();
        }
    }

    @Override
    public Set<Capability> capabilities() {
        return backend.capabilities();
    }

    @Override
    public void prepareReadsByType() {
        call(() -> {
            backend.prepareReadsByType();
            return null;
        });
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return call(() -> backend.fetch(request));
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return inDoubt(() -> call(() -> backend.claim(request)));
    }

    @Override
    public Map<String, EventStatus> apply(String holder, List<Outcome> outcomes) {
        return change(() -> backend.apply(holder, outcomes));
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return call(() -> backend.doneAmong(eventIds));
    }

    @Override
    public Set<String> renew(String holder, Collection<String> eventIds) {
        return change(() -> backend.renew(holder, eventIds));
    }

    @Override
    public int release(String holder, Collection<String> eventIds) {
        return change(() -> backend.release(holder, eventIds));
    }

    @Override
    public Instant currentTime() {
        return call(backend::currentTime);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return call(() -> backend.nextDueAt(now));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return call(() -> backend.oldestDueAt(now));
    }

    @Override
    public PageCursor placeOf(Instant due) {
        return backend.placeOf(due);
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return call(() -> backend.lookByType(known, from));
    }
}
