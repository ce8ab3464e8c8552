package io.outbox.upkeep;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Those who listen for hints of one transport. Thread-safe. */
public final class HintListeners {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final List<Consumer<Set<String>>> listeners = new CopyOnWriteArrayList<>();

    public void add(Consumer<Set<String>> listener) {
        listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    /** Calls this listener no more; returns whether it was called before. */
    public boolean remove(Consumer<Set<String>> listener) {
        return listeners.remove(listener);
    }

    public boolean isEmpty() {
        return listeners.isEmpty();
    }

    /** Tells each listener of these types, none for any; one that fails keeps no other from hearing of them. */
    public void call(Set<String> eventTypes) {
        listeners.forEach(listener -> tell(listener, eventTypes));
    }

    /** Tells one listener of these types, none for any. */
    public void tell(Consumer<Set<String>> listener, Set<String> eventTypes) {
        try {
            listener.accept(eventTypes);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.WARNING, "A listener for hints failed", e);
        }
    }
}
