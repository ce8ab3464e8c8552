package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import io.outbox.model.DlqStatus;
import io.outbox.spi.DeadLetterFilter;
import io.outbox.spi.DeadLetterQuery;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pictures of every page, for people to look at: in target/screenshots. */
@ExtendWith(BrowserExtension.class)
class ScreenshotsTest {

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
        Map<String, String> pages = new LinkedHashMap<>();
        pages.put("overview", "?range=360");
        pages.put("events", "events");
        pages.put("event", "events/" + id);
        pages.put("groups", "dead");
        pages.put("letters", "dead?view=letters&status=MOVED");
        pages.put("types", "types");
        pages.put("audit", "audit");
        return pages;
    }

    @ParameterizedTest
    @CsvSource({"light, LIGHT, 1440, 1180", "dark, DARK, 1440, 1180", "phone, LIGHT, 390, 844", "small, DARK, 320, 700"
    })
    void showEveryPage(String look, ColorScheme scheme, int width, int height, Browser browser) {
        try (Viewer viewer = new Viewer(
                browser, shop, options -> options.setViewportSize(width, height).setColorScheme(scheme))) {
            pages().forEach((name, path) -> {
                viewer.open(path);
                assertThat(viewer.page.locator("h1")).isVisible();
                assertThat(viewer.page.locator(".skeleton")).hasCount(0);
                viewer.page.screenshot(new Page.ScreenshotOptions()
                        .setFullPage(true)
                        .setPath(Path.of("target", "screenshots", name + "-" + look + ".png")));
            });
        }
    }
}
