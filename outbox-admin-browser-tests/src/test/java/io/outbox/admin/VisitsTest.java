package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Route;
import io.outbox.model.EventStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a visit of the dashboard costs: nothing is asked for twice, and files are kept. */
@ExtendWith(BrowserExtension.class)
class VisitsTest {

    private static final long MOST_MILLIS = 300;
    private static final int VISITS = 15;
    private static final List<String> PAGES =
            List.of("", "events", "events/{id}", "dead", "dead?view=letters", "types", "audit");

    private final List<String> asked = new CopyOnWriteArrayList<>();
    private Shop shop;
    private Viewer viewer;
    private String id;

    @BeforeEach
    void open(Browser browser) {
        shop = Shop.open();
        id = shop.writeDead(1, "OrderPlaced", "no stock").get(0);
        viewer = new Viewer(browser, shop);
        viewer.page.onRequest(request -> asked.add(request.method() + " " + request.url()));
    }

    @AfterEach
    void close() {
        viewer.close();
        shop.close();
    }

    /** Opens a page as somebody does who comes from elsewhere. */
    private void visit(String path) {
        viewer.page.navigate("about:blank");
        asked.clear();
        viewer.open(path.replace("{id}", id));
        assertThat(viewer.page.locator("h1")).isVisible();
        assertThat(viewer.page.locator(".skeleton")).hasCount(0);
    }

    /** Each page is told once how the outbox fares, and never again: later updates are reasons to ask again. */
    @Test
    void noPageAsksForAnythingTwice() {
        String overview = viewer.page
                .request()
                .get(shop.origin() + "/outbox-admin/api/overview")
                .text();
        AtomicBoolean isTold = new AtomicBoolean();
        viewer.page.route("**/api/live", route -> {
            if (!isTold.getAndSet(true)) {
                route.fulfill(new Route.FulfillOptions()
                        .setContentType("text/event-stream")
                        .setBody("event: update\ndata: {\"overview\":" + overview + "}\n\n"));
            }
        });
        for (String path : PAGES) {
            isTold.set(false);
            visit(path);
            assertThat(viewer.page.locator(".live")).hasText("Live");
            assertThat(asked)
                    .as("#/" + path)
                    .anyMatch(request -> request.endsWith("/api/live"))
                    .filteredOn(request -> !request.endsWith("/api/live"))
                    .doesNotHaveDuplicates();
        }
    }

    @Test
    void theFilesAreLoadedOnce() {
        visit("");
        assertThat(loadedFiles()).isGreaterThan(50);
        visit("types");
        assertThat(loadedFiles()).isZero();
    }

    private int loadedFiles() {
        return (Integer) viewer.page.evaluate("""
            () => performance.getEntriesByType('resource')
                    .filter((file) => /\\.(js|mjs|css)$/.test(file.name) && file.transferSize > 0).length\
            """);
    }

    @Test
    void anEventIsNotSentAgainUnlessItHasChanged() {
        shop.mend();
        visit("events/{id}");
        viewer.page.waitForResponse(
                response -> response.url().endsWith("/events/" + id) && response.status() == 304, () -> {});
        assertThat(viewer.page.locator(".why")).containsText("no stock");
        viewer.button("Replay").click();
        assertThat(viewer.page.locator(".page-head .badge")).hasText("Done");
        shop.awaitState(id, EventStatus.DONE);
    }

    /** Measured by the page itself, since looking from outside takes time, too. */
    @Test
    @Tag("soak")
    void everyPageIsThereSoon() {
        viewer.page.addInitScript("""
                window.shownAfter = new Promise((resolve) => {
                  const look = () => {
                    if (document.querySelector('h1') && !document.querySelector('.skeleton')) {
                      resolve(Math.round(performance.now()));
                    } else {
                      requestAnimationFrame(look);
                    }
                  };
                  requestAnimationFrame(look);
                });""");
        Map<String, Long> medians = new LinkedHashMap<>();
        for (String path : PAGES) {
            List<Long> millis = IntStream.range(0, VISITS)
                    .mapToObj(i -> {
                        visit(path);
                        return ((Number) viewer.page.evaluate("window.shownAfter")).longValue();
                    })
                    .sorted()
                    .toList();
            medians.put("#/" + path, millis.get(VISITS / 2));
        }
        medians.forEach((path, millis) -> System.out.printf("%5d ms until %s is shown%n", millis, path));
        assertThat(medians).allSatisfy((path, millis) -> assertThat(millis).isLessThanOrEqualTo(MOST_MILLIS));
    }
}
