package io.outbox.inbox;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The messages of one call in their order, of several with the same id the first. Immutable. */
final class Batch<T> {

    /** A message and the id of its event; without an id if it is passed on. */
    private record Entry<T>(@Nullable String eventId, T message) {}

    private final List<Entry<T>> entries;

    private Batch(List<Entry<T>> entries) {
        this.entries = entries;
    }

    /** Returns a batch of the messages, whose ids the function finds. */
    static <T> Batch<T> of(List<T> messages, Function<T, @Nullable String> eventIds) {
        Map<Object, Entry<T>> first = new LinkedHashMap<>();
        int position = 0;
        for (T message : messages) {
            Objects.requireNonNull(message, "messages[" + position++ + "]");
            Entry<T> entry = new Entry<>(eventIds.apply(message), message);
            first.putIfAbsent(entry.eventId != null ? entry.eventId : new Object(), entry);
        }
        return new Batch<>(List.copyOf(first.values()));
    }

    /** Returns the ids. */
    List<String> ids() {
        return entries.stream().map(Entry::eventId).filter(Objects::nonNull).toList();
    }

    /** Returns the messages without those of the ids. */
    Batch<T> without(Set<String> eventIds) {
        return eventIds.isEmpty() ? this : select(entry -> entry.eventId == null || !eventIds.contains(entry.eventId));
    }

    /** Returns the messages of the ids, and those without one. */
    Batch<T> only(Set<String> eventIds) {
        return select(entry -> entry.eventId == null || eventIds.contains(entry.eventId));
    }

    private Batch<T> select(Predicate<Entry<T>> predicate) {
        return new Batch<>(entries.stream().filter(predicate).toList());
    }

    boolean isEmpty() {
        return entries.isEmpty();
    }

    int size() {
        return entries.size();
    }

    /** Returns a list of the messages that is the caller's own. */
    List<T> messages() {
        List<T> messages = new ArrayList<>(entries.size());
        entries.forEach(entry -> messages.add(entry.message));
        return messages;
    }
}
