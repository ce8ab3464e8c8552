package io.outbox.redis;

import io.outbox.model.BlockedKey;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedPage;
import io.outbox.spi.KeyedPage.KeyedEvent;
import io.outbox.spi.KeyedRequest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Delivery of events that keep the order of their key.
 *
 * <p>A damaged entry ends the run of its key, since what follows must not overtake it. It is mended, which leaves it in
 * its place, and the keys of the request that have given nothing are asked once more. Thread-safe.
 */
final class KeyedDelivery {

    private static final int HEAD_VALUES = 7;
    private static final int PLACE_VALUES = 2;
    private static final int BLOCKED_VALUES = 8;

    /** Behind how many keys the waiting events are counted, for figures. */
    private static final int KEYS_COUNTED = 100;

    private final RedisCalls redis;
    private final Mending mending;

    KeyedDelivery(RedisCalls redis, Mending mending) {
        this.redis = redis;
        this.mending = mending;
    }

    KeyedPage claim(KeyedRequest request) {
        if (request.keys().isEmpty()) {
            return KeyedPage.EMPTY;
        }
        List<Object> reply = run(request, request.keys());
        KeyedPage page = page(reply, request.keys());
        if (!mending.mend(reply.get(1))) {
            return page;
        }
        List<String> others = new ArrayList<>(request.keys());
        Set<String> given = new HashSet<>();
        page.events().forEach(event -> given.add(event.key()));
        others.removeAll(given);
        return others.isEmpty() ? page : plus(page, page(run(request, others), others));
    }

    private static KeyedPage plus(KeyedPage first, KeyedPage second) {
        List<KeyedEvent> events = new ArrayList<>(first.events());
        events.addAll(second.events());
        return new KeyedPage(events, first.takenOver() + second.takenOver());
    }

    private List<Object> run(KeyedRequest request, List<String> keys) {
        List<String> args = new ArrayList<>();
        args.add(request.lease() == null ? "" : request.lease().holder());
        args.add(Micros.text(request.dueUntil()));
        args.add(Micros.text(request.lockExpiry()));
        args.add(Integer.toString(request.limit().run()));
        args.add(Long.toString(request.limit().bytes()));
        LostClaims lost = request.lost();
        addSet(args, lost.holders());
        addSet(args, lost.known());
        args.add(request.types().excluded() ? "1" : "0");
        addSet(args, new HashSet<>(request.types().names()));
        args.addAll(keys);
        return redis.run(request.lease() == null ? Script.FETCH_KEYED : Script.CLAIM_KEYED, args);
    }

    private static void addSet(List<String> args, Set<String> values) {
        args.add(Integer.toString(values.size()));
        args.addAll(values);
    }

    private static KeyedPage page(List<Object> reply, List<String> keys) {
        List<KeyedEvent> events = new ArrayList<>();
        for (int i = 2; i < reply.size(); i += PLACE_VALUES + EventRows.VALUES) {
            String key = keys.get(((Long) reply.get(i)).intValue());
            events.add(new KeyedEvent(EventRows.readOne(reply, i + PLACE_VALUES), key, (Long) reply.get(i + 1)));
        }
        return new KeyedPage(events, ((Long) reply.get(0)).intValue());
    }

    List<KeyHead> heads(String after, int limit) {
        List<String> args = List.of(after, Integer.toString(limit));
        List<Object> reply = redis.run(Script.KEY_HEADS, args);
        if (mending.mend(reply.get(0))) {
            reply = redis.run(Script.KEY_HEADS, args);
        }
        List<KeyHead> heads = new ArrayList<>();
        for (int i = 1; i < reply.size(); i += HEAD_VALUES) {
            heads.add(head(reply.subList(i, i + HEAD_VALUES)));
        }
        return heads;
    }

    private static KeyHead head(List<Object> values) {
        String lockedAt = (String) values.get(6);
        return new KeyHead(
                (String) values.get(0),
                (String) values.get(1),
                (String) values.get(2),
                ((Long) values.get(3)).intValue(),
                Micros.instant((Long) values.get(4)),
                (String) values.get(5),
                lockedAt == null ? null : Micros.instant(lockedAt));
    }

    /** Returns keys that a parked event blocks; a damaged entry is mended, and shows the next time. */
    List<BlockedKey> blocked(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        return read(blockedReply(order, after, limit));
    }

    BlockedKey.Figures blockedFigures() {
        List<Object> reply = blockedReply(BlockedKey.Order.OLDEST_FIRST, null, KEYS_COUNTED);
        List<BlockedKey> oldest = read(reply);
        int keys = ((Long) reply.get(0)).intValue();
        boolean isExact =
                keys <= KEYS_COUNTED && oldest.stream().allMatch(key -> key.waiting() < BlockedKey.MOST_WAITING);
        return oldest.isEmpty()
                ? BlockedKey.Figures.NONE
                : new BlockedKey.Figures(
                        keys,
                        oldest.stream().mapToInt(BlockedKey::waiting).sum(),
                        oldest.get(0).since(),
                        isExact);
    }

    private List<Object> blockedReply(BlockedKey.Order order, @Nullable BlockedKey after, int limit) {
        Instant due = after == null || after.since() == null ? KeyHead.PARKED_UNTIL : KeyHead.parkedAt(after.since());
        List<Object> reply = redis.run(
                Script.BLOCKED_KEYS,
                List.of(
                        order == BlockedKey.Order.NEWEST_FIRST ? "1" : "0",
                        Micros.text(due),
                        after == null ? "" : after.event().eventId(),
                        Integer.toString(limit)));
        mending.mend(reply.get(1));
        return reply;
    }

    private static List<BlockedKey> read(List<Object> reply) {
        List<BlockedKey> blocked = new ArrayList<>();
        for (int i = 2; i < reply.size(); i += BLOCKED_VALUES) {
            blocked.add(blocked(reply.subList(i, i + BLOCKED_VALUES)));
        }
        return blocked;
    }

    private static BlockedKey blocked(List<Object> values) {
        return new BlockedKey(
                (String) values.get(0),
                new BlockedKey.Event(
                        (String) values.get(1),
                        (String) values.get(2),
                        ((Long) values.get(3)).intValue(),
                        Micros.fromSortable((String) values.get(4)),
                        (String) values.get(6)),
                KeyHead.parkedSince(Micros.instant((Long) values.get(5))),
                (int) Math.min((Long) values.get(7) - 1, BlockedKey.MOST_WAITING));
    }
}
