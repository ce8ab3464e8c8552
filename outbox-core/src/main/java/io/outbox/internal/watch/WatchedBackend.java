package io.outbox.internal.watch;

import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/** A backend whose calls are reported to a {@link StoreWatch}. A refusal is an answer too. */
public final class WatchedBackend implements DeliveryBackend {

    private final DeliveryBackend backend;
    private final StoreWatch watch;

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
            if (e instanceof OutboxBackendException refusal && refusal.isRefusal()) {
                watch.callSucceeded();
            } else {
                watch.callFailed();
            }
            throw e;
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
        return call(() -> backend.claim(request));
    }

    @Override
    public Map<String, EventStatus> apply(String ownerId, List<Outcome> outcomes) {
        return call(() -> backend.apply(ownerId, outcomes));
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return call(() -> backend.doneAmong(eventIds));
    }

    @Override
    public Set<String> renew(String ownerId, Collection<String> eventIds) {
        return call(() -> backend.renew(ownerId, eventIds));
    }

    @Override
    public int release(String ownerId, Collection<String> eventIds) {
        return call(() -> backend.release(ownerId, eventIds));
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
}
