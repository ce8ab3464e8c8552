package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Reading page by page until nothing follows. Cursors are handed on as they come. */
final class Pages {

    /** More than any test needs. */
    private static final int MANY = 10_000;

    private Pages() {}

    /** Returns everything from the first page to the last; fails if there is no last one. */
    static <T> List<T> all(Function<PageCursor, Page<T>> read) {
        List<T> all = new ArrayList<>();
        PageCursor after = null;
        for (int pages = 0; pages < MANY; pages++) {
            Page<T> page = read.apply(after);
            all.addAll(page.items());
            after = page.next();
            if (after == null) {
                return all;
            }
        }
        throw new AssertionError("There is no last page: " + MANY + " pages were read, with " + all.size() + " items");
    }

    /** Returns the same function, which fails if a page is larger than the limit. */
    static <T> Function<PageCursor, Page<T>> within(int limit, Function<PageCursor, Page<T>> read) {
        return after -> {
            Page<T> page = read.apply(after);
            assertThat(page.items()).as("a page").hasSizeLessThanOrEqualTo(limit);
            return page;
        };
    }
}
