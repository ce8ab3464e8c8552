package io.outbox.internal.watch;

import io.outbox.spi.OutboxBackendException;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.Consumer;

/** Does for many what can be done for many, and finds the few that the store refuses by halving. */
public final class Isolation {

    private static final System.Logger LOG = System.getLogger(Isolation.class.getName());

    private Isolation() {}

    /** Runs the action on all items together; if the store refuses, on each half, down to the item it refuses. */
    public static <T> void run(List<T> items, Consumer<List<T>> action) {
        try {
            action.accept(items);
        } catch (OutboxBackendException e) {
            if (!e.isRefusal()) {
                throw e;
            }
            if (items.size() == 1) {
                LOG.log(Level.WARNING, "The store refuses to change one event; it is left as it is", e);
                return;
            }
            int half = items.size() / 2;
            run(items.subList(0, half), action);
            run(items.subList(half, items.size()), action);
        }
    }
}
