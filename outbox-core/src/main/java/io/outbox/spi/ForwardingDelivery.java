package io.outbox.spi;

import io.outbox.model.BlockedKey;
import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delivery that is left to another engine: the one place that names every operation again. Override what is to be
 * different, or {@link #call} to do something around all of them.
 */
public abstract class ForwardingDelivery implements DeliveryBackend {

    private final DeliveryBackend delivery;

    protected ForwardingDelivery(DeliveryBackend delivery) {
        this.delivery = Objects.requireNonNull(delivery, "delivery");
    }

    /** Makes a call that reaches the store. */
    protected <T> T call(Supplier<T> call) {
        return call.get();
    }

    @Override
    public Set<Capability> capabilities() {
        return delivery.capabilities();
    }

    @Override
    public void prepareReadsByType() {
        call(() -> {
            delivery.prepareReadsByType();
            return null;
        });
    }

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        return call(() -> delivery.fetch(request));
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        return call(() -> delivery.claim(request));
    }

    @Override
    public KeyedPage claimKeyed(KeyedRequest request) {
        return call(() -> delivery.claimKeyed(request));
    }

    @Override
    public List<KeyHead> keyHeads(String after, int limit) {
        return call(() -> delivery.keyHeads(after, limit));
    }

    @Override
    public List<BlockedKey> blockedKeys(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        return call(() -> delivery.blockedKeys(order, after, limit));
    }

    @Override
    public BlockedKey.Figures blockedFigures() {
        return call(delivery::blockedFigures);
    }

    @Override
    public Map<String, EventStatus> apply(@Nullable String holder, List<Outcome> outcomes) {
        return call(() -> delivery.apply(holder, outcomes));
    }

    @Override
    public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        return call(() -> delivery.applyToFree(outcomes));
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return call(() -> delivery.doneAmong(eventIds));
    }

    @Override
    public Set<String> renew(String holder, Collection<String> eventIds) {
        return call(() -> delivery.renew(holder, eventIds));
    }

    @Override
    public int release(String holder, Collection<String> eventIds) {
        return call(() -> delivery.release(holder, eventIds));
    }

    @Override
    public Instant currentTime() {
        return call(delivery::currentTime);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return call(() -> delivery.nextDueAt(now));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return call(() -> delivery.oldestDueAt(now));
    }

    @Override
    public @Nullable PageCursor placeOf(Instant due) {
        return delivery.placeOf(due);
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        return call(() -> delivery.lookByType(known, from));
    }
}
