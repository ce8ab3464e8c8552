package io.outbox.spi;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A bounded part of a longer list.
 *
 * @param next where the next page begins, or {@code null} if this is the last
 */
public record Page<T>(List<T> items, @Nullable PageCursor next) {

    public Page {
        items = List.copyOf(items);
    }

    /** Returns a page that nothing follows. */
    public static <T> Page<T> last(List<T> items) {
        return new Page<>(items, null);
    }
}
