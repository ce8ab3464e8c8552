package io.outbox.internal.polling;

/**
 * How many events of a feed are read at a time.
 *
 * <p>A number that somebody has set stays as it is. Where nobody has, pages begin with the default, and as long as they
 * come back full, a backlog is being drained: each is twice as large as the one before, up to {@value #LARGEST}, since
 * a round trip and a commit cost the same for ten times as many events. The first page with room left ends that. What
 * the feed has room for is the bound in any case.
 *
 * <p>Of large events a page has fewer, whoever set the number: as many as fit into {@link #MOST_BYTES} if they are as
 * large as those of the page before. The store stops a page there by itself; asking for no more spares it looking at
 * the rest. Used by one thread.
 */
final class PageSize {

    static final int LARGEST = 500;

    /** About how many bytes are read at a time. */
    static final long MOST_BYTES = Math.min(8L << 20, Runtime.getRuntime().maxMemory() / 32);

    private final int first;
    private final int largest;
    private int next;

    private PageSize(int first, int largest) {
        this.first = first;
        this.largest = largest;
        this.next = first;
    }

    /** Returns a size that stays as it is. */
    static PageSize fixed(int size) {
        return new PageSize(size, size);
    }

    /** Returns a size that begins with the given one. */
    static PageSize growingFrom(int first) {
        return new PageSize(first, Math.max(first, LARGEST));
    }

    int next() {
        return next;
    }

    /** Notes that a page came for which at most {@code limit} events were asked, and whether there may be more. */
    void came(int limit, boolean more) {
        if (!more) {
            next = first;
        } else if (limit >= next) {
            next = Math.min(largest, next * 2);
        }
    }

    /** Notes how large the events of a page were. */
    void fit(int events, long bytes) {
        if (bytes > 0) {
            next = (int) Math.max(1, Math.min(next, events * MOST_BYTES / bytes));
        }
    }
}
