package io.outbox.spring.boot.consumer;

import io.outbox.inbox.JdbcInbox;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.Idempotent;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * The consumers of an application: the one that it injects, and one for each listener with {@link Idempotent}. All have
 * the same table, cache, meters and clean-up, and names of their own. Thread-safe.
 */
public final class IdempotentConsumers {

    private final String defaultName;
    private final Function<String, OutboxIdempotentConsumer> factory;
    private final UnaryOperator<String> placeholders;
    private final Map<String, OutboxIdempotentConsumer> consumers = new ConcurrentHashMap<>();
    private volatile Runnable whenAdded = () -> {};

    /**
     * Creates the registry.
     *
     * @param defaultName the name of the application's own consumer
     * @param factory builds a consumer of a name
     * @param placeholders resolves those in texts of annotations
     */
    public IdempotentConsumers(
            String defaultName,
            Function<String, OutboxIdempotentConsumer> factory,
            UnaryOperator<String> placeholders) {
        this.defaultName = defaultName;
        this.factory = factory;
        this.placeholders = placeholders;
    }

    /** Returns the consumer that applications inject. */
    public OutboxIdempotentConsumer ofApplication() {
        return named(defaultName);
    }

    /**
     * Returns the consumer of a listener.
     *
     * @param listener what tells the listener from others of the application, and stays
     * @throws IllegalStateException if the name cannot be that of a consumer
     */
    public OutboxIdempotentConsumer ofListener(Idempotent annotation, String listener) {
        String given = placeholders.apply(annotation.consumer());
        return named(given.isEmpty() ? defaultName + "/" + listener : given);
    }

    private OutboxIdempotentConsumer ofName(String name) {
        return named(JdbcInbox.validName(name));
    }

    private OutboxIdempotentConsumer named(String name) {
        try {
            JdbcInbox.validName(name);
        } catch (IllegalArgumentException e) {
            throw new IllegalStateException(
                    "'" + name + "' is not a valid name for its consumer: " + e.getMessage()
                            + "; set @Idempotent(consumer = …)",
                    e);
        }
        OutboxIdempotentConsumer known = consumers.get(name);
        if (known != null) {
            return known;
        }
        // not under a lock, since the factory asks for beans
        OutboxIdempotentConsumer made = new RegisteredConsumer(factory.apply(name), this::ofName);
        known = consumers.putIfAbsent(name, made);
        if (known != null) {
            return known;
        }
        whenAdded.run();
        return made;
    }

    /** Sets what is to be done when there is another consumer: listeners may come late. */
    public void whenAdded(Runnable action) {
        whenAdded = action;
    }

    /** Returns the names of the consumers there are. */
    public Set<String> names() {
        return new TreeSet<>(consumers.keySet());
    }
}
