package io.outbox.internal.watch;

import io.outbox.model.EventStatus;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.ForwardingDelivery;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A backend whose calls are reported to a {@link StoreWatch}. A refusal is an answer too, and so is that somebody else
 * has locked some events.
 *
 * <p>Calls that change events in this node's hands go one after the other. Outcomes and renewals may be about the same
 * events, most of all after an outage, when both have waited for it; two statements that lock the same rows in
 * different orders are a deadlock, and a database takes a second to notice it: as long as others leave this node to
 * speak first. A call that is not answered holds the next one up for a moment only.
 */
public final class WatchedBackend extends ForwardingDelivery {

    private final DeliveryBackend backend;
    private final StoreWatch watch;
    private final Turns changing = new Turns();

    public WatchedBackend(DeliveryBackend backend, StoreWatch watch) {
        super(backend);
        this.backend = backend;
        this.watch = watch;
    }

    @Override
    protected <T> T call(Supplier<T> call) {
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

    /**
     * As {@link #apply}, for outcomes that have failed by themselves: that they fail again says nothing about the
     * store.
     */
    public Map<String, EventStatus> applyAgain(String holder, List<Outcome> outcomes) {
        return inTurn(() -> inDoubt(() -> backend.apply(holder, outcomes)));
    }

    private <T> T change(Supplier<T> call) {
        return inTurn(() -> inDoubt(call));
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
    public ClaimedPage claim(ClaimRequest request) {
        return inDoubt(() -> super.claim(request));
    }

    @Override
    public KeyedPage claimKeyed(KeyedRequest request) {
        return request.lease() == null ? super.claimKeyed(request) : inDoubt(() -> super.claimKeyed(request));
    }

    @Override
    public Map<String, EventStatus> apply(String holder, List<Outcome> outcomes) {
        return change(() -> super.apply(holder, outcomes));
    }

    @Override
    public Set<String> renew(String holder, Collection<String> eventIds) {
        return change(() -> super.renew(holder, eventIds));
    }

    @Override
    public int release(String holder, Collection<String> eventIds) {
        return change(() -> super.release(holder, eventIds));
    }
}
