package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.AriaRole;
import io.outbox.EventEnvelope;
import io.outbox.model.ClusterFigures;
import io.outbox.model.EventStatus;
import io.outbox.spi.ClusterBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What the pages of the dashboard show. */
@ExtendWith(BrowserExtension.class)
class PagesTest {

    private Shop shop;
    private Viewer viewer;

    @BeforeEach
    void open(Browser browser) {
        shop = Shop.Setup.usual()
                .with(settings -> settings.traceUrl("https://traces.example/trace/{traceId}"))
                .open();
        viewer = new Viewer(browser, shop);
    }

    @AfterEach
    void close() {
        viewer.close();
        shop.close();
    }

    private void writeDelayed(int count) {
        List<EventEnvelope> events = IntStream.range(0, count)
                .mapToObj(i -> Shop.event("OrderPlaced")
                        .aggregateId("order-" + i)
                        .deliverAfter(Duration.ofHours(1))
                        .build())
                .toList();
        shop.writeAll(events);
    }

    @Test
    void theOverviewTellsHowTheOutboxFares() {
        shop.writeDead(2, "PaymentCaptured", "no funds");
        shop.write(Shop.event(Shop.OTHER_LANE).header(Shop.UNREACHABLE, "nobody at home"));
        String locked = shop.write(Shop.event("OrderPlaced").deliverAfter(Duration.ofHours(1)));
        shop.lock(locked, "node-b");

        viewer.open("");

        assertThat(viewer.heading("Needs a look")).isVisible();
        Locator health = viewer.page.locator(".health");
        assertThat(health).containsText("nobody at home");
        assertThat(health).containsText("2 dead events");
        assertThat(viewer.page.locator(".chart")).hasCount(5);
        assertThat(viewer.page.getByLabel(Pattern.compile("^Delivered per second\\. Delivered: not known")))
                .isVisible();
        assertThat(viewer.text("No figures yet")).isVisible();
        assertThat(viewer.page.locator("tr", hasText("node-b"))).containsText("Unknown");
        assertThat(viewer.page.locator("tr", hasText("answers"))).containsText("Up");
        assertThat(viewer.page.locator(".live")).hasText("Live");
    }

    @Test
    void theOverviewGoesOnByItself() {
        viewer.open("");
        Locator done = viewer.page.locator(".tile", hasText("Done")).locator(".tile-value");
        assertThat(done).hasText("0");
        shop.write(Shop.event("OrderPlaced"));
        assertThat(done).hasText("1");
        assertThat(viewer.heading("All is well")).isVisible();
    }

    private static Page.LocatorOptions hasText(String text) {
        return new Page.LocatorOptions().setHasText(text);
    }

    @Test
    void nodesAreShownAndPausedOneByOneOrTogether() {
        ClusterBackend cluster =
                shop.outbox.inspection().orElseThrow().cluster().orElseThrow();
        cluster.join("2", "shop-2", "{\"state\":\"RUNNING\",\"version\":\"0.9\",\"hot\":0,\"cold\":0}");
        viewer.open("");
        assertThat(viewer.page.locator("tr", hasText("shop-2"))).containsText("0.9");
        viewer.button("Pause node shop-2").click();
        assertThat(viewer.page.locator(".health")).containsText("all delivery on node shop-2, by loopback");
        viewer.button("Resume node shop-2").click();
        assertThat(viewer.heading("All is well")).isVisible();

        viewer.open("types");
        viewer.button("Pause everything").click();
        viewer.open("");
        assertThat(viewer.page.locator(".health")).containsText("all delivery on all nodes");
        assertThat(viewer.heading("Not delivering")).isVisible();
    }

    @Test
    void whatIsNotKnownIsAGapInAChartAndFiguresOfAWeekAreThere() {
        ClusterBackend cluster =
                shop.outbox.inspection().orElseThrow().cluster().orElseThrow();
        Figures figures = new Figures();
        figures.of("OrderPlaced").addDone();
        long quarter = Instant.now().getEpochSecond() / 60 / 15;
        for (int i : new int[] {200, 199, 198, 8, 7, 6}) {
            cluster.addFigures(new ClusterFigures("2", "shop-2", 15, quarter - i * 3L, figures.json()));
        }
        viewer.open("?range=10080");
        String path = viewer.page.locator(".chart .line").first().getAttribute("d");
        org.assertj.core.api.Assertions.assertThat(path.split("M")).hasSizeGreaterThan(2);
        assertThat(viewer.text("No figures before")).isVisible();
    }

    @Test
    void whatCannotBeLoadedAgainIsSaidToBeOld() {
        viewer.expectingRefusals();
        viewer.open("types");
        assertThat(viewer.page.locator("tr", hasText(Shop.LANE))).isVisible();
        viewer.page.route("**/api/types", route -> route.fulfill(new Route.FulfillOptions().setStatus(503)));
        viewer.page.keyboard().press("r");
        assertThat(viewer.text("Not up to date: loaded at")).isVisible();
        assertThat(viewer.page.locator("tr", hasText(Shop.LANE))).isVisible();
        viewer.page.unroute("**/api/types");
        viewer.button("Try again").click();
        assertThat(viewer.text("Not up to date: loaded at")).hasCount(0);
    }

    @Test
    void aPageThatNobodyTellsAnythingSaysSo() {
        viewer.page.clock().install();
        viewer.open("");
        assertThat(viewer.heading("All is well")).isVisible();
        viewer.page.evaluate("() => { window.fetch = () => new Promise(() => {}); }");
        shop.admin.endStreams();
        viewer.page.clock().fastForward(60_000);
        assertThat(viewer.page.locator(".freshness")).containsText("what you see is old");
    }

    @Test
    void whatGrowsComesFirstAndIsReplayedFromTheOverview() {
        shop.writeDead(1, "OrderPlaced", "no stock");
        List<String> grown = shop.writeDead(3, "PaymentCaptured", "no funds");
        viewer.open("");
        Locator failures = viewer.page.locator(".failure-list li");
        assertThat(failures.first()).containsText("PaymentCaptured");
        assertThat(failures.first()).containsText("+3 in 5 min");
        shop.mend();
        viewer.button("Replay group of PaymentCaptured").click();
        viewer.button("Replay 3 events").click();
        viewer.doItNow();
        grown.forEach(id -> shop.awaitState(id, EventStatus.DONE));
        viewer.open("dead?order=growth");
        assertThat(viewer.page.locator(".group")).containsText("+1 in 5 min");
    }

    @Test
    void typesShowWhatTheyDeliveredInTheLastHalfHourAndTheOverviewWhichFailed() {
        ClusterBackend cluster =
                shop.outbox.inspection().orElseThrow().cluster().orElseThrow();
        long minute = Instant.now().getEpochSecond() / 60;
        for (int i : new int[] {20, 19, 18, 4, 3, 2}) {
            Figures figures = new Figures();
            figures.of(Shop.LANE).addDone();
            figures.of(Shop.OTHER_LANE).addFailed();
            cluster.addFigures(new ClusterFigures("2", "shop-2", 1, minute - i, figures.json()));
        }
        viewer.open("types");
        String path = viewer.page
                .locator("tr", hasText(Shop.LANE))
                .locator(".sparkline path")
                .getAttribute("d");
        org.assertj.core.api.Assertions.assertThat(path.split("M"))
                .as("a gap between")
                .hasSize(3);
        viewer.open("");
        Locator failing =
                viewer.page.getByRole(AriaRole.REGION, new Page.GetByRoleOptions().setName("Failures by type"));
        assertThat(failing.locator("tbody tr")).hasCount(1);
        assertThat(failing.locator("tbody tr")).containsText(Shop.OTHER_LANE);
    }

    @Test
    void filtersAreThereWhenAWindowBecomesWider() {
        viewer.page.setViewportSize(390, 844);
        viewer.open("audit");
        assertThat(viewer.page.getByLabel("Who")).isHidden();
        viewer.page.setViewportSize(1280, 900);
        assertThat(viewer.page.getByLabel("Who")).isVisible();
    }

    @Test
    void typesThatRestAreShownToo() {
        viewer.open("types");
        assertThat(viewer.page.locator("tr", hasText("CustomerNotified"))).containsText("Shared lane");
    }

    @Test
    void theTimeShownIsInTheAddress() {
        viewer.open("");
        viewer.link("3 hours").click();
        assertThat(viewer.path()).isEqualTo("overview?range=180");
        viewer.page.reload();
        assertThat(viewer.link("3 hours")).hasAttribute("aria-current", "true");
    }

    @Test
    void chartsAreReadWithTheKeyboard() {
        viewer.open("");
        Locator chart = viewer.page.locator(".chart").first();
        chart.locator(".chart-box").press("ArrowLeft");
        assertThat(viewer.page.locator(".legend-time")).hasCount(5);
        assertThat(chart.getByRole(AriaRole.STATUS)).containsText("Delivered not known");
        chart.locator(".chart-box").press("Enter");
        viewer.page.waitForURL(Pattern.compile(".*#/events\\?from=.*&to=.*"));
    }

    private Locator chip(String name) {
        return viewer.page.getByLabel("State").getByText(name);
    }

    @Test
    void filtersAreInTheAddress() {
        shop.write(Shop.event("OrderPlaced").deliverAfter(Duration.ofHours(1)));
        String done = shop.write(Shop.event("CustomerNotified").tenantId("globex"));
        shop.awaitState(done, EventStatus.DONE);
        viewer.open("events");
        assertThat(viewer.rows()).hasCount(2);

        chip("Done 1").click();
        assertThat(viewer.rows()).hasCount(1);
        viewer.text("More filters").click();
        viewer.page.getByLabel("Tenant").fill("globex");
        viewer.page.getByLabel("Tenant").press("Enter");
        viewer.page.waitForURL(url -> url.endsWith("events?status=DONE&tenantId=globex"));

        viewer.page.reload();
        assertThat(chip("Done 1")).hasAttribute("aria-current", "true");
        assertThat(viewer.page.locator("#search")).hasValue(Pattern.compile(".*tenant:globex"));
        assertThat(viewer.text("Filtered by tenant globex")).isVisible();
        assertThat(viewer.page.getByLabel("Tenant")).hasValue("globex");
        assertThat(viewer.link("CustomerNotified")).isVisible();
        viewer.link("Clear").click();
        assertThat(viewer.rows()).hasCount(2);
    }

    @Test
    void timesAreThoseOfTheViewersZone() {
        String id = shop.write(Shop.event("OrderPlaced").deliverAfter(Duration.ofHours(1)));
        shop.update("UPDATE outbox_event SET created_at = TIMESTAMP '2025-06-01 12:00:00' WHERE event_id = ?", id);
        viewer.open("events?from=2025-06-01T11%3A00%3A00.000Z");

        assertThat(viewer.page.getByLabel("Created from")).hasValue("2025-06-01T13:00");
        Locator created = viewer.rows().locator("time");
        assertThat(created).hasText("1 Jun 2025, 14:00:00");
        assertThat(created).hasAttribute("title", "2025-06-01T12:00:00Z (UTC)");
    }

    @Test
    void listsComeAPageAtATime() {
        writeDelayed(120);
        viewer.open("events");
        assertThat(viewer.rows()).hasCount(50);
        assertThat(viewer.page.locator("tbody")).containsText("order-119");
        viewer.link("Next page").click();
        assertThat(viewer.page.locator("tbody")).containsText("order-69");
        viewer.page.reload();
        assertThat(viewer.page.locator("tbody")).containsText("order-69");
        viewer.link("Next page").click();
        assertThat(viewer.rows()).hasCount(20);
        viewer.link("First page").click();
        assertThat(viewer.page.locator("tbody")).containsText("order-119");
    }

    @Test
    void aSearchGoesOnBehindWhatOneCallLooksAt() {
        String id = shop.write(Shop.event("CustomerNotified").tenantId("globex"));
        viewer.page.route("**/api/events?*", route -> {
            if (route.request().url().contains("after=")) {
                route.resume(
                        new Route.ResumeOptions().setUrl(route.request().url().replaceAll("after=[^&]*&", "")));
            } else {
                route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"items\":[],\"next\":\"z\"}"));
            }
        });
        viewer.open("events?tenantId=globex");
        assertThat(viewer.page.locator("tbody")).containsText(id);
    }

    @Test
    void aSearchThatTakesLongSaysHowFarItIsAndCanBeStopped() {
        viewer.page.route(
                "**/api/events?*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"items\":[],\"next\":\"z\"}")));
        viewer.open("events?tenantId=globex");
        assertThat(viewer.text("0 events found so far")).isVisible();
        viewer.button("Stop").click();
        assertThat(viewer.heading("Nothing so far")).isVisible();
    }

    @Test
    void theTailFollowsWhatIsWritten() {
        viewer.open("events");
        assertThat(viewer.heading("No such events")).isVisible();
        viewer.page.getByRole(AriaRole.SWITCH).press("Space");
        viewer.page.waitForURL(url -> url.endsWith("events?tail=1"));
        shop.write(Shop.event("CustomerNotified"));
        assertThat(viewer.link("CustomerNotified")).isVisible();
    }

    @Test
    void anEventShowsAllThatIsKnownOfIt() {
        EventEnvelope.Builder event = Shop.event("OrderPlaced")
                .header("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
                .header(Shop.ERROR, "no stock");
        String id = shop.write(event);
        shop.awaitDead(List.of(id));
        viewer.open("events/" + id);

        assertThat(viewer.heading("OrderPlaced")).isVisible();
        assertThat(viewer.page.locator("pre[aria-label=Payload]"))
                .hasText("{\n  \"total\": 12345678901234567890.50\n}");
        assertThat(viewer.page.locator(".why")).containsText("no stock");
        assertThat(viewer.page.locator(".why")).containsText("3 attempts");
        assertThat(viewer.text("Attempts 1 to 3 failed in the same way")).isVisible();
        assertThat(viewer.text("Moved to the dead letters")).isVisible();
        assertThat(viewer.page.locator(".timeline")).containsText("no stock");
        assertThat(viewer.link("Show the trace"))
                .hasAttribute("href", "https://traces.example/trace/0af7651916cd43dd8448eb211c80319c");
    }

    @Test
    void eventsOfAListAreReadOneAfterTheOther() {
        shop.writeDead(3, "OrderPlaced", "no stock");
        viewer.open("dead?view=letters&eventType=OrderPlaced");
        viewer.link("OrderPlaced").first().click();
        Locator place = viewer.page.locator(".crumbs");
        assertThat(place).containsText("1 of 3");
        viewer.page.keyboard().press("j");
        assertThat(place).containsText("2 of 3");
        viewer.page.keyboard().press("j");
        assertThat(place).containsText("3 of 3");
        viewer.page.keyboard().press("k");
        assertThat(place).containsText("2 of 3");
        viewer.link("Dead letters").first().click();
        assertThat(viewer.rows()).hasCount(3);
        assertThat(viewer.path()).contains("eventType=OrderPlaced");
    }

    @Test
    void aLongPayloadIsFoldedAndWhatOperatorsDidIsInTheTimeline() {
        String list = IntStream.range(0, 100).mapToObj(String::valueOf).collect(Collectors.joining(","));
        String id = shop.write(Shop.event("OrderPlaced")
                .payloadJson("{\"a\":[" + list + "],\"b\":{}}")
                .header(Shop.ERROR, "no stock"));
        shop.awaitDead(List.of(id));
        viewer.open("events/" + id);
        Locator payload = viewer.page.locator("pre[aria-label=Payload]");
        assertThat(payload).containsText("[ … ] 100 lines");
        payload.locator(".fold").click();
        assertThat(payload).containsText("99\n  ],\n  \"b\": {}\n}");
        viewer.button("Replay").click();
        assertThat(viewer.text("Replayed by loopback")).isVisible();
        viewer.link("What operators did").click();
        assertThat(viewer.rows()).hasCount(1);
        assertThat(viewer.page.getByLabel("Event id")).hasValue(id);
    }

    @Test
    void anEventIsFoundByItsId() {
        String id = shop.write(Shop.event("OrderPlaced"));
        viewer.open("");
        assertThat(viewer.heading("Overview")).isVisible();
        viewer.page.keyboard().press("/");
        assertThat(viewer.page.getByLabel("Search events", exact()).last()).isFocused();
        viewer.page.keyboard().type(id);
        viewer.page.keyboard().press("Enter");
        assertThat(viewer.heading("OrderPlaced")).isVisible();
        assertThat(viewer.path()).isEqualTo("events/" + id);
    }

    @Test
    void eventsAreFoundByTokensAndTextsInPayloads() {
        String found = shop.write(Shop.event("OrderPlaced")
                .aggregateId("o-77")
                .payloadJson("{\"to\":\"Sesame Street\"}")
                .deliverAfter(Duration.ofHours(1)));
        shop.write(Shop.event("OrderPlaced").deliverAfter(Duration.ofHours(1)));
        viewer.open("events?eventType=OrderPlaced");
        Locator box = viewer.page.locator("#search");
        assertThat(box).hasValue("type:OrderPlaced");
        assertThat(viewer.page.locator(".pager")).containsText("2 of 2");

        box.fill("type:OrderPlaced status:new sesame");
        box.press("Enter");
        assertThat(viewer.rows()).hasCount(1);
        assertThat(viewer.rows()).containsText(found);
        assertThat(viewer.page.locator(".pager")).containsText("1 of 1");
        org.assertj.core.api.Assertions.assertThat(viewer.path())
                .isEqualTo("events?eventType=OrderPlaced&status=NEW&payload=sesame");

        box.fill("colour:red");
        box.press("Enter");
        assertThat(viewer.text("colour:red is not known")).isVisible();
    }

    @Test
    void aTypeThatRestsIsSuggested() {
        viewer.open("events");
        Locator box = viewer.page.locator("#search");
        box.fill("type:Cust");
        assertThat(viewer.page.locator("#search-suggestions option[value='type:CustomerNotified']"))
                .hasCount(1);
    }

    @Test
    void everyPageThatShowsAFailureShowsItsRootCauseFirst() {
        String id = shop.write(Shop.event("PaymentCaptured")
                .header(Shop.ERROR, "Payment not captured")
                .header(Shop.CAUSE, "Connection reset by peer"));
        shop.awaitDead(List.of(id));
        String root = "IOException: Connection reset by peer";
        viewer.open("");
        assertThat(viewer.page.locator(".failure-list .mono")).hasText(root);
        viewer.open("dead");
        assertThat(viewer.page.locator(".group .mono")).hasText(root);
        viewer.open("dead?view=letters");
        assertThat(viewer.page.locator("td.error-cell")).hasText(root);
        viewer.open("events/" + id);
        assertThat(viewer.page.locator(".why-cause")).hasText("java.io." + root);
        assertThat(viewer.page.locator(".why"))
                .containsText("in java.lang.IllegalStateException: Payment not captured");
        assertThat(viewer.page.locator(".timeline")).containsText(root);
    }

    private static Page.GetByLabelOptions exact() {
        return new Page.GetByLabelOptions().setExact(true);
    }

    @Test
    void whatIsNotThereIsSaid() {
        viewer.expectingRefusals();
        viewer.open("events/nothing");
        assertThat(viewer.heading("Not found")).isVisible();
        viewer.open("nowhere");
        assertThat(viewer.heading("Page not found")).isVisible();
        viewer.open("dead");
        assertThat(viewer.heading("No dead letters")).isVisible();
        viewer.open("audit");
        assertThat(viewer.heading("No actions yet")).isVisible();
    }

    @Test
    void failuresAreGroupedAndLeadToTheirLetters() {
        shop.writeDead(3, "PaymentCaptured", "Timeout after 100 ms");
        shop.writeDead(2, "OrderPlaced", "no stock");
        viewer.open("dead");
        assertThat(viewer.page.locator(".group")).hasCount(2);
        viewer.link("Count").click();
        assertThat(viewer.page.locator(".group").first()).containsText("Timeout after 100 ms");

        viewer.link("PaymentCaptured").click();
        assertThat(viewer.rows()).hasCount(3);
        assertThat(chip("Dead letter")).hasAttribute("aria-current", "true");
        assertThat(viewer.page.getByLabel("Type", exact())).hasValue("PaymentCaptured");
        viewer.link("Clear").click();
        assertThat(viewer.rows()).hasCount(5);
    }

    @Test
    void lettersAreFoundByWhatABulkActionTakes() {
        shop.writeDead(3, "PaymentCaptured", "Timeout after 100 ms");
        shop.writeDead(2, "OrderPlaced", "no stock");
        viewer.open("dead?view=letters");
        assertThat(viewer.rows()).hasCount(5);

        viewer.text("More filters").click();
        viewer.page.getByLabel("Error contains").fill("STOCK");
        viewer.page.getByLabel("Error contains").press("Enter");
        assertThat(viewer.rows()).hasCount(2);
        viewer.button("Replay all that match").click();
        assertThat(viewer.page.locator("dialog")).containsText("2 events match.");
        viewer.button("Cancel").click();

        viewer.page.getByLabel("Tenant").fill("nobody");
        viewer.page.getByLabel("Tenant").press("Enter");
        assertThat(viewer.heading("No such events")).isVisible();
        viewer.link("Show all").click();
        assertThat(viewer.rows()).hasCount(5);
    }

    @Test
    void aGroupSaysWhetherItsCountIsExactAndHasNoActionsWithoutAType() {
        viewer.page.route(
                "**/api/groups?*",
                route -> route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("""
                        {"items":[
                          {"eventType":"OrderPlaced","fingerprint":"a","count":1000,"exact":false,
                           "firstSeen":null,"lastSeen":null,"error":"no stock"},
                          {"eventType":null,"fingerprint":"b","count":1000,"exact":true,
                           "firstSeen":null,"lastSeen":null,"error":"not readable"}]}""")));
        viewer.open("dead");

        Locator groups = viewer.page.locator(".group");
        assertThat(groups.nth(0).locator(".group-count")).hasText("1,000+");
        assertThat(groups.nth(0).locator(".button")).hasCount(1);
        viewer.button("Other actions on group of OrderPlaced").click();
        assertThat(groups.nth(0).locator(".button")).hasCount(3);
        assertThat(groups.nth(1).locator(".group-count")).hasText("1,000");
        assertThat(groups.nth(1)).containsText("unknown type");
        assertThat(groups.nth(1).locator("button")).hasCount(0);
    }

    @Test
    void anActionCanBeginThoughCountingHasFoundNothingYet() {
        shop.writeDead(1, "OrderPlaced", "no stock");
        viewer.page.route("**/api/bulk", route -> {
            if (route.request().method().equals("POST")) {
                route.fulfill(new Route.FulfillOptions()
                        .setContentType("application/json")
                        .setBody("{\"matches\":0,\"exact\":false}"));
            } else {
                route.resume();
            }
        });
        viewer.open("dead?view=letters&error=rare");
        viewer.button("Delete all that match").click();
        assertThat(viewer.button("Delete an unknown number of events")).isEnabled();
    }

    @Test
    void typesSayHowTheyAreDeliveredAndWhyNot() {
        shop.write(Shop.event(Shop.OTHER_LANE).header(Shop.UNREACHABLE, "nobody at home"));
        viewer.open("types");
        Locator unreachable = viewer.page.locator("tr", hasText(Shop.OTHER_LANE));
        assertThat(unreachable).containsText("Unavailable");
        assertThat(unreachable).containsText("nobody at home");
        assertThat(viewer.page.locator("tr", hasText(Shop.LANE))).containsText("at most 500 per second");
    }

    @Test
    void aLoadingPageHasTheShapeOfWhatComes() {
        writeDelayed(10);
        List<Route> held = new ArrayList<>();
        viewer.page.route("**/api/events?*", held::add);
        viewer.open("events");
        assertThat(viewer.page.locator("main .skeleton")).isVisible();
        assertThat(viewer.page.getByLabel("State")).isVisible();
        held.forEach(Route::resume);
        assertThat(viewer.rows()).hasCount(10);
        assertThat(viewer.page.locator(".skeleton")).hasCount(0);
    }

    @Test
    void nothingJumpsWhileThePageLoads() {
        viewer.page.addInitScript("""
                window.shift = 0;
                new PerformanceObserver((list) => {
                  for (const entry of list.getEntries()) {
                    window.shift += entry.value;
                  }
                }).observe({ type: 'layout-shift', buffered: true });""");
        viewer.open("");
        assertThat(viewer.heading("All is well")).isVisible();
        assertThat(viewer.page.locator(".chart svg")).hasCount(5);
        assertThat(((Number) viewer.page.evaluate("window.shift")).doubleValue())
                .isLessThan(0.05);
    }
}
