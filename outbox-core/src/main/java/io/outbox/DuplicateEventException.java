package io.outbox;

import io.outbox.spi.OutboxBackendException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An event cannot be written because one with the same id is stored already. */
public class DuplicateEventException extends OutboxBackendException {

    private static final long serialVersionUID = 1L;

    @SuppressWarnings("serial") // List.copyOf returns serializable lists
    private final List<String> eventIds;

    public DuplicateEventException(List<String> eventIds, @Nullable Throwable cause) {
        super(message(eventIds), cause);
        this.eventIds = List.copyOf(eventIds);
    }

    private static String message(List<String> eventIds) {
        String which = eventIds.size() == 1
                ? "An event with id " + eventIds.get(0) + " is"
                : "At least one of " + eventIds.size() + " events (" + eventIds.get(0) + ", …) is";
        return which + " stored already: give each event its own id, or treat the write as done";
    }

    /** Returns the ids of the events that were to be written, at least one of which is stored already. */
    public List<String> eventIds() {
        return eventIds;
    }

    @Override
    public boolean isRefusal() {
        return true;
    }
}
