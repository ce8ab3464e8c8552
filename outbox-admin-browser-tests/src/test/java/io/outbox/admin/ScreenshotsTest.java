package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import io.outbox.spi.EventFilter;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Every page in every look: pictures for people to look at, in target/screenshots, and what a checker of accessibility
 * says.
 */
@ExtendWith(BrowserExtension.class)
class ScreenshotsTest {

    /** How somebody looks at a page. */
    private record Look(int width, int height, ColorScheme scheme) {

        void of(Page page) {
            page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
            page.setViewportSize(width, height);
        }
    }

    private static final Map<String, Look> LOOKS = new LinkedHashMap<>();

    static {
        for (ColorScheme scheme : List.of(ColorScheme.LIGHT, ColorScheme.DARK)) {
            String light = scheme.name().toLowerCase(Locale.ROOT);
            LOOKS.put("desktop-" + light, new Look(1440, 1180, scheme));
            LOOKS.put("phone-" + light, new Look(390, 844, scheme));
            LOOKS.put("small-" + light, new Look(320, 700, scheme));
        }
    }

    private static Shop shop;

    @BeforeAll
    static void open() {
        shop = Trade.open();
    }

    @AfterAll
    static void close() {
        shop.close();
    }

    /** Returns the address of each page by its name. */
    private static Map<String, String> pages() {
        String id = shop.outbox
                .deadLetters()
                .orElseThrow()
                .query(DeadLetterQuery.matching(DeadLetterFilter.of(DlqStatus.MOVED, "PaymentCaptured", null), 1))
                .items()
                .get(0)
                .eventId();
        String waiting = shop.outbox
                .inspection()
                .orElseThrow()
                .search(EventFilter.ALL.in(Set.of(EventStatus.RETRY)), null, 1)
                .events()
                .get(0)
                .event()
                .eventId();
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "?range=360");
        pages.put("events", "events");
        pages.put("event", "events/" + id);
        pages.put("groups", "dead");
        pages.put("letters", "dead?view=letters&status=MOVED");
        pages.put("types", "types");
        pages.put("audit", "audit");
        pages.put("waiting", "events/" + waiting);
        pages.put("none", "events?eventType=None");
        pages.put("unknown", "nowhere");
        return pages;
    }

    @Test
    void everyPageIsFitForEverybodyAndShownInEveryLook(Browser browser) {
        try (Viewer viewer = new Viewer(browser, shop)) {
            pages().forEach((name, path) -> look(viewer, name, path));
        }
        try (Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            look(viewer, "missing", "events/01ARZ3NDEKTSV4RRFFQ69G5FAV");
        }
    }

    private static void look(Viewer viewer, String name, String path) {
        viewer.open(path);
        assertThat(viewer.page.locator("h1")).isVisible();
        assertThat(viewer.page.locator(".skeleton")).hasCount(0);
        LOOKS.forEach((look, as) -> {
            as.of(viewer.page);
            viewer.page.screenshot(new Page.ScreenshotOptions()
                    .setFullPage(true)
                    .setPath(Path.of("target", "screenshots", name + "-" + look + ".png")));
            Axe.assertNoFindings(viewer.page, name + ", " + look);
        });
    }
}
