package io.outbox.redis;

import io.lettuce.core.api.async.RedisAsyncCommands;
import io.outbox.model.BlockedKey;
import io.outbox.model.EventStatus;
import io.outbox.spi.Capability;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.DueType;
import io.outbox.spi.DueTypes;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Delivery from Redis, one script for each operation. Thread-safe. */
final class RedisDelivery implements DeliveryBackend {

    private static final Set<Capability> CAPABILITIES = Set.copyOf(EnumSet.allOf(Capability.class));

    private static final String ANY_HOLDER = "";
    /** No name of a node is blank. */
    private static final String NO_HOLDER = " ";

    /** The place behind a pending event. */
    private record Place(String score, String member) implements PageCursor {

        static final Place FRONT = new Place("", "");

        static Place of(@Nullable PageCursor cursor) {
            return cursor == null ? FRONT : (Place) cursor;
        }

        static @Nullable Place read(List<Object> reply, int at) {
            String member = (String) reply.get(at + 1);
            return member.isEmpty() ? null : new Place((String) reply.get(at), member);
        }
    }

    private final RedisCalls redis;
    private final Mending mending;
    private final KeptOrder order;
    private final KeyedDelivery keyed;

    RedisDelivery(RedisCalls redis, Mending mending, KeptOrder order) {
        this.redis = redis;
        this.mending = mending;
        this.order = order;
        this.keyed = new KeyedDelivery(redis, mending);
    }

    @Override
    public Set<Capability> capabilities() {
        return CAPABILITIES;
    }

    /** Does nothing: each type has sorted sets of its own. */
    @Override
    public void prepareReadsByType() {}

    @Override
    public Page<DueEvent> fetch(FetchRequest request) {
        order.beforeUnorderedRead();
        List<String> args = new ArrayList<>();
        addTimes(args, request.now(), request.now().minus(request.skipRecent()));
        addLimits(args, request.limit(), request.maxBytes());
        addRange(args, request.after(), request.types());
        List<Object> reply = redis.run(Script.FETCH, args);
        mending.mend(reply.get(2));
        return new Page<>(EventRows.readInOrderOfCreation(reply, 3), Place.read(reply, 0));
    }

    @Override
    public ClaimedPage claim(ClaimRequest request) {
        order.beforeUnorderedRead();
        List<String> args = new ArrayList<>();
        args.add(request.lease().holder());
        args.add(request.scope().takeOver() ? Micros.text(request.lockExpiry()) : "");
        LostClaims lost = request.scope().lost();
        args.add(Integer.toString(lost.holders().size()));
        args.addAll(lost.holders());
        args.add(Integer.toString(lost.known().size()));
        args.addAll(lost.known());
        addTimes(args, request.asOf(), request.createdUntil());
        addLimits(args, request.limit(), request.maxBytes());
        addRange(args, request.after(), request.scope().types());
        List<Object> reply = redis.run(Script.CLAIM, args);
        int takenOver = ((Long) reply.get(0)).intValue();
        mending.mend(reply.get(3));
        return new ClaimedPage(EventRows.readInOrderOfCreation(reply, 4), takenOver, Place.read(reply, 1));
    }

    @Override
    public KeyedPage claimKeyed(KeyedRequest request) {
        return keyed.claim(request);
    }

    @Override
    public List<KeyHead> keyHeads(String after, int limit) {
        return keyed.heads(after, limit);
    }

    @Override
    public List<BlockedKey> blockedKeys(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        return keyed.blocked(order, after, limit);
    }

    @Override
    public BlockedKey.Figures blockedFigures() {
        return keyed.blockedFigures();
    }

    private static void addTimes(List<String> args, Instant dueUntil, Instant createdUntil) {
        args.add(Micros.text(dueUntil));
        args.add(Micros.sortable(createdUntil));
    }

    private static void addLimits(List<String> args, int limit, long maxBytes) {
        args.add(Integer.toString(limit));
        args.add(Long.toString(maxBytes));
    }

    private static void addRange(List<String> args, @Nullable PageCursor after, EventTypes types) {
        Place place = Place.of(after);
        args.add(place.score);
        args.add(place.member);
        args.add(types.excluded() ? "1" : "0");
        args.addAll(types.excluded() ? types.names() : new LinkedHashSet<>(types.names()));
    }

    @Override
    public Map<String, EventStatus> apply(@Nullable String holder, List<Outcome> outcomes) {
        return applyTo(holder == null ? ANY_HOLDER : holder, outcomes);
    }

    @Override
    public Map<String, EventStatus> applyToFree(List<Outcome> outcomes) {
        return applyTo(NO_HOLDER, outcomes);
    }

    private Map<String, EventStatus> applyTo(String holder, List<Outcome> outcomes) {
        Map<String, EventStatus> standing = new HashMap<>();
        List<Outcome> batch = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (Outcome outcome : outcomes) {
            if (!ids.add(outcome.eventId())) {
                applyOnceEach(holder, batch, standing);
                batch.clear();
                ids.clear();
                ids.add(outcome.eventId());
            }
            batch.add(outcome);
        }
        applyOnceEach(holder, batch, standing);
        return standing;
    }

    private void applyOnceEach(String holder, List<Outcome> outcomes, Map<String, EventStatus> standing) {
        if (outcomes.isEmpty()) {
            return;
        }
        List<String> args = new ArrayList<>(2 + outcomes.size() * 6);
        args.add(holder);
        args.add("");
        outcomes.stream()
                .filter(RedisDelivery::isDeletion)
                .map(Outcome::eventId)
                .forEach(args::add);
        args.set(1, Integer.toString(args.size() - 2));
        outcomes.stream().filter(outcome -> !isDeletion(outcome)).forEach(outcome -> addOutcome(args, outcome));
        List<Object> reply = redis.run(Script.APPLY, args);
        for (int i = 0; i < reply.size(); i += 2) {
            EventStatus status = EventStatus.fromCode(((Long) reply.get(i + 1)).intValue());
            standing.put((String) reply.get(i), status);
        }
    }

    private static boolean isDeletion(Outcome outcome) {
        return outcome instanceof Outcome.Done done && !done.keep();
    }

    private static void addOutcome(List<String> args, Outcome outcome) {
        if (outcome instanceof Outcome.Done done) {
            addOutcome(args, done.eventId(), "D", done.at(), null);
        } else if (outcome instanceof Outcome.Deferred deferred) {
            addOutcome(args, deferred.eventId(), "L", deferred.until(), null);
        } else if (outcome instanceof Outcome.Dead dead) {
            addOutcome(args, dead.eventId(), "K", Instant.EPOCH, dead.error());
        } else if (outcome instanceof Outcome.Failed failed) {
            addOutcome(args, failed.eventId(), "F", failed.retryAt(), failed.error());
            args.set(args.size() - 3, Integer.toString(failed.attempts()));
            args.set(args.size() - 2, Integer.toString(failed.maxAttempts()));
        }
    }

    private static void addOutcome(
            List<String> args, String eventId, String kind, Instant time, @Nullable String error) {
        args.add(eventId);
        args.add(kind);
        args.add(Micros.text(time));
        args.add("0");
        args.add("0");
        args.add(error == null ? "" : "=" + error);
    }

    @Override
    public Set<String> doneAmong(Collection<String> eventIds) {
        return eventIds.isEmpty() ? Set.of() : ids(redis.run(Script.DONE_AMONG, List.copyOf(eventIds)));
    }

    @Override
    public Set<String> renew(String holder, Collection<String> eventIds) {
        return eventIds.isEmpty() ? Set.of() : ids(redis.run(Script.RENEW, holderAndIds(holder, eventIds)));
    }

    @Override
    public int release(String holder, Collection<String> eventIds) {
        if (eventIds.isEmpty()) {
            return 0;
        }
        List<Object> reply = redis.run(Script.RELEASE, holderAndIds(holder, eventIds));
        return ((Long) reply.get(0)).intValue();
    }

    private static List<String> holderAndIds(String holder, Collection<String> eventIds) {
        List<String> args = new ArrayList<>();
        args.add(holder);
        args.addAll(new LinkedHashSet<>(eventIds));
        return args;
    }

    private static Set<String> ids(List<Object> reply) {
        Set<String> ids = new HashSet<>();
        reply.forEach(id -> ids.add((String) id));
        return ids;
    }

    @Override
    public Instant currentTime() {
        List<String> time = redis.call(RedisAsyncCommands::time);
        return Instant.ofEpochSecond(Long.parseLong(time.get(0)), Long.parseLong(time.get(1)) * 1_000);
    }

    @Override
    public Optional<Instant> nextDueAt(Instant now) {
        return time(redis.run(Script.DUE_TIMES, List.of(Micros.text(now))).get(0));
    }

    @Override
    public Optional<Instant> oldestDueAt(Instant now) {
        return time(redis.run(Script.DUE_TIMES, List.of(Micros.text(now))).get(1));
    }

    /** The front: what is finished is in no one's way. */
    @Override
    public @Nullable PageCursor placeOf(Instant due) {
        return null;
    }

    @Override
    public DueTypes lookByType(List<DueType> known, Instant from) {
        List<Object> reply = redis.run(Script.DUE_TYPES, List.of());
        List<DueType> types = new ArrayList<>();
        for (int i = 0; i < reply.size(); i += 2) {
            types.add(new DueType((String) reply.get(i), Micros.instant((String) reply.get(i + 1))));
        }
        return new DueTypes(types, true);
    }

    private static Optional<Instant> time(Object micros) {
        return micros.equals("") ? Optional.empty() : Optional.of(Micros.instant((String) micros));
    }
}
