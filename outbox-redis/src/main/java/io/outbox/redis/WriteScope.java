package io.outbox.redis;

import io.outbox.DuplicateEventException;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The events that one thread writes together with something else, and who is to be told of the end. */
final class WriteScope {

    private static final System.Logger LOG = System.getLogger(WriteScope.class.getName());

    private final List<NewEvent> events = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();
    private final List<Consumer<TransactionEnd>> callbacks = new ArrayList<>();
    private TransactionEnd end = TransactionEnd.ROLLED_BACK;

    /** @throws DuplicateEventException if one of them is in the scope already; then none is added */
    void add(List<NewEvent> batch) {
        List<String> added =
                batch.stream().map(event -> event.event().eventId()).toList();
        if (new HashSet<>(added).size() < added.size() || added.stream().anyMatch(ids::contains)) {
            throw new DuplicateEventException(added, null);
        }
        ids.addAll(added);
        events.addAll(batch);
    }

    void afterCompletion(Consumer<TransactionEnd> callback) {
        callbacks.add(callback);
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    NewEvents events() {
        return new NewEvents(List.copyOf(events));
    }

    List<String> ids() {
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    /**
     * Sends what stores the events, and returns what comes back. From here on nobody knows the end, until Redis has
     * said that it {@linkplain #stored() stored} or refused them.
     */
    <T> T send(Supplier<T> sending) {
        end = TransactionEnd.UNKNOWN;
        try {
            return sending.get();
        } catch (RedisOutboxException e) {
            if (e.isWithoutEffect()) {
                end = TransactionEnd.ROLLED_BACK;
            }
            throw e;
        }
    }

    void stored() {
        end = TransactionEnd.COMMITTED;
    }

    void notStored() {
        end = TransactionEnd.ROLLED_BACK;
    }

    /** Tells everybody how it ended, whatever one of them throws. */
    void tell() {
        for (Consumer<TransactionEnd> callback : callbacks) {
            try {
                callback.accept(end);
            } catch (RuntimeException | Error e) {
                LOG.log(Level.WARNING, "A callback failed after its transaction had ended", e);
            }
        }
    }
}
