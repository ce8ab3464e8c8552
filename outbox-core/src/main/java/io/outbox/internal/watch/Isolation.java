package io.outbox.internal.watch;

import io.outbox.spi.EventsLockedException;
import io.outbox.spi.OutboxBackendException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Does for many what can be done for many, and leaves out the few that the store refuses or somebody else has locked.
 */
public final class Isolation<T> {

    private static final System.Logger LOG = System.getLogger("io.outbox.delivery");

    private final Function<T, String> eventId;
    private final Consumer<List<T>> action;
    private final List<T> locked;

    private Isolation(Function<T, String> eventId, Consumer<List<T>> action, List<T> locked) {
        this.eventId = eventId;
        this.action = action;
        this.locked = locked;
    }

    /**
     * Runs the action on all items together; if the store refuses, on each half, down to the item it refuses; if some
     * are locked by somebody else, on the others.
     *
     * @return the items that are locked by somebody else
     */
    public static <T> List<T> run(List<T> items, Function<T, String> eventId, Consumer<List<T>> action) {
        List<T> locked = new ArrayList<>();
        new Isolation<>(eventId, action, locked).run(items);
        return locked;
    }

    private void run(List<T> items) {
        if (items.isEmpty()) {
            return;
        }
        try {
            action.accept(items);
        } catch (EventsLockedException e) {
            Map<Boolean, List<T>> parts = items.stream()
                    .collect(Collectors.partitioningBy(item -> e.eventIds().contains(eventId.apply(item))));
            if (parts.get(true).isEmpty()) {
                throw e;
            }
            locked.addAll(parts.get(true));
            run(parts.get(false));
        } catch (OutboxBackendException e) {
            if (!e.isRefusal()) {
                throw e;
            }
            if (items.size() == 1) {
                LOG.log(Level.WARNING, "The store refuses to change one event; it is left as it is", e);
                return;
            }
            int half = items.size() / 2;
            run(items.subList(0, half));
            run(items.subList(half, items.size()));
        }
    }
}
