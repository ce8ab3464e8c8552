package io.outbox.testing;

import io.outbox.model.BlockedKey;
import io.outbox.spi.KeyHead;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.stream.Collectors;

/** Where events stand that keep their order among those of their key. Used by one thread at a time. */
final class InMemoryKeys {

    private record Place(String key, long number) {}

    private final Map<String, Place> places = new HashMap<>();
    private long lastNumber;

    /** Gives an event its place among those of a key. */
    void add(String eventId, String key) {
        places.put(eventId, new Place(key, ++lastNumber));
    }

    boolean has(String eventId) {
        return places.containsKey(eventId);
    }

    long numberOf(String eventId) {
        return places.get(eventId).number;
    }

    /** Returns those of a key, in their order. */
    List<StoredEvent> inOrder(String key, Collection<StoredEvent> pending) {
        return pending.stream()
                .filter(event -> has(event.eventId()) && keyOf(event).equals(key))
                .sorted(Comparator.comparing(event -> numberOf(event.eventId())))
                .toList();
    }

    private String keyOf(StoredEvent event) {
        return places.get(event.eventId()).key;
    }

    /** Returns the first of each key behind another one. */
    List<KeyHead> heads(Collection<StoredEvent> pending, String after, int limit) {
        return pending.stream()
                .filter(event -> has(event.eventId()))
                .map(this::keyOf)
                .filter(key -> key.compareTo(after) > 0)
                .distinct()
                .sorted()
                .limit(limit)
                .map(key -> head(key, inOrder(key, pending).get(0)))
                .toList();
    }

    private static KeyHead head(String key, StoredEvent event) {
        return new KeyHead(
                key,
                event.eventId(),
                event.eventType(),
                event.attempts(),
                event.availableAt(),
                event.lockedBy(),
                event.lockedAt());
    }

    /** Returns what blocks a key, in the order of due times. */
    List<BlockedKey> blocked(SortedSet<StoredEvent> pending, BlockedKey.Order order, BlockedKey after, int limit) {
        List<BlockedKey> blocked = pending.stream()
                .filter(event -> has(event.eventId()) && !event.availableAt().isBefore(KeyHead.PARKED_UNTIL))
                .map(event -> blocked(event, pending))
                .collect(Collectors.toCollection(ArrayList::new));
        if (order == BlockedKey.Order.NEWEST_FIRST) {
            Collections.reverse(blocked);
        }
        List<String> ids = blocked.stream().map(key -> key.event().eventId()).toList();
        return blocked.stream()
                .skip(after == null ? 0 : ids.indexOf(after.event().eventId()) + 1L)
                .limit(limit)
                .toList();
    }

    private BlockedKey blocked(StoredEvent event, Collection<StoredEvent> pending) {
        String key = keyOf(event);
        return new BlockedKey(
                key,
                new BlockedKey.Event(
                        event.eventId(), event.eventType(), event.attempts(), event.createdAt(), event.lastError()),
                KeyHead.parkedSince(event.availableAt()),
                Math.min(inOrder(key, pending).size() - 1, BlockedKey.MOST_WAITING));
    }

    BlockedKey.Figures blockedFigures(SortedSet<StoredEvent> pending) {
        List<BlockedKey> blocked = blocked(pending, BlockedKey.Order.OLDEST_FIRST, null, Integer.MAX_VALUE);
        return blocked.isEmpty()
                ? BlockedKey.Figures.NONE
                : new BlockedKey.Figures(
                        blocked.size(),
                        blocked.stream().mapToInt(BlockedKey::waiting).sum(),
                        blocked.get(0).since(),
                        blocked.stream().allMatch(key -> key.waiting() < BlockedKey.MOST_WAITING));
    }
}
