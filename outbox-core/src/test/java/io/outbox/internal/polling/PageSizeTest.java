package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PageSizeTest {

    private static List<Integer> fullPages(PageSize size, int pages) {
        List<Integer> limits = new ArrayList<>();
        for (int i = 0; i < pages; i++) {
            limits.add(size.next());
            size.came(size.next(), true);
        }
        return limits;
    }

    @Test
    void aSizeThatIsSetStays() {
        assertThat(fullPages(PageSize.fixed(7), 3)).containsExactly(7, 7, 7);
        assertThat(fullPages(PageSize.fixed(2_000), 2)).containsExactly(2_000, 2_000);
    }

    @Test
    void theDefaultDoublesWhilePagesAreFullUpToTheLargest() {
        assertThat(fullPages(PageSize.growingFrom(50), 6)).containsExactly(50, 100, 200, 400, 500, 500);
    }

    @Test
    void theLastPageOfABacklogEndsTheGrowth() {
        PageSize size = PageSize.growingFrom(50);
        fullPages(size, 3);

        size.came(size.next(), false);

        assertThat(size.next()).isEqualTo(50);
    }

    @Test
    void ofLargeEventsAPageHasFewerWhoeverSetTheNumber() {
        for (PageSize size : List.of(PageSize.fixed(100), PageSize.growingFrom(100))) {
            size.came(100, true);
            size.fit(10, 10 * PageSize.MOST_BYTES / 4);

            assertThat(size.next()).isEqualTo(4);
        }
    }

    @Test
    void oneEventIsReadHoweverLargeItIs() {
        PageSize size = PageSize.fixed(100);

        size.fit(1, 3 * PageSize.MOST_BYTES);

        assertThat(size.next()).isEqualTo(1);
    }

    @Test
    void pagesGrowAgainAfterLargeEvents() {
        PageSize size = PageSize.fixed(10);
        size.fit(1, PageSize.MOST_BYTES);

        assertThat(fullPages(size, 5)).containsExactly(1, 2, 4, 8, 10);
    }

    @Test
    void aPageThatWasSmallForWantOfRoomTellsNothing() {
        PageSize size = PageSize.growingFrom(50);
        fullPages(size, 2);

        size.came(30, true);

        assertThat(size.next()).isEqualTo(200);
    }
}
