package io.outbox.spring.boot.modulith;

import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The classes of stored events. Modulith selects and routes events by what they are, so an event is read as the object
 * that was published; the name of its class travels with it. Thread-safe.
 */
final class EventClasses {

    /** The header with the name of the class. */
    static final String HEADER = "modulith_event_class";

    private final Map<String, String> renamed;
    private final @Nullable ClassLoader loader;
    private final Map<String, Class<?>> found = new ConcurrentHashMap<>();

    EventClasses(Map<String, String> renamed, @Nullable ClassLoader loader) {
        this.renamed = renamed;
        this.loader = loader;
    }

    /**
     * Reads the object that was published.
     *
     * @throws PayloadParseException if its class is not here, or does not fit; among several nodes the event is left to
     * newer ones
     */
    Object read(EventEnvelope event) {
        String name = event.headers().get(HEADER);
        if (name == null) {
            throw new PayloadParseException("The event has no header " + HEADER
                    + ", which names the class of the published object. Was it written by hand?");
        }
        return event.payload(found.computeIfAbsent(name, this::load));
    }

    private Class<?> load(String name) {
        String current = renamed.getOrDefault(name, name);
        try {
            return ClassUtils.forName(current, loader);
        } catch (ClassNotFoundException | LinkageError e) {
            throw new PayloadParseException(
                    "The class " + current + " of the event is not on the class path. If it was renamed, set"
                            + " outbox.modulith.renamed-classes[" + name + "] to its present name and replay the event",
                    e);
        }
    }
}
