package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The dashboard for all sorts of people, devices and connections. */
@ExtendWith(BrowserExtension.class)
class AccessTest {

    private static final String READ = "read-token-0123456789";
    private static final String OPERATE = "operate-token-0123456789";

    @Test
    void aTokenIsAskedForAndWhoMayOnlyLookSeesNoActions(Browser browser) {
        try (Shop shop = Shop.Setup.usual()
                        .with(settings -> settings.readToken(READ).operateToken(OPERATE))
                        .open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            String id = shop.writeDead(1, "OrderPlaced", "no stock").get(0);
            viewer.open("events/" + id);
            enter(viewer, "something-else-0123456789");
            assertThat(viewer.text("The server does not know the token")).isVisible();
            Axe.assertNoFindings(viewer.page, "the form for a token");
            enter(viewer, READ);
            assertThat(viewer.heading("OrderPlaced")).isVisible();
            assertThat(viewer.text("read-only")).isVisible();
            assertThat(viewer.page.locator(".live")).hasText("Live");
            assertThat(viewer.page.locator("main button:has-text('Replay')")).hasCount(0);
            for (String path : List.of("dead", "dead?view=letters", "types")) {
                viewer.open(path);
                assertThat(viewer.page.locator("main [data-entry]").first()).isVisible();
                assertThat(viewer.page.locator("main button")).hasCount(0);
            }
            viewer.page.reload();
            assertThat(viewer.heading("Types and lanes")).isVisible();

            viewer.button("Sign out").click();
            enter(viewer, OPERATE);
            viewer.open("events/" + id);
            assertThat(viewer.button("Replay")).isVisible();
        }
    }

    private static void enter(Viewer viewer, String token) {
        viewer.page
                .getByLabel("Token", new Page.GetByLabelOptions().setExact(true))
                .fill(token);
        viewer.button("Sign in").click();
    }

    @Test
    void theKeyboardReachesEverything(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop)) {
            String first = shop.write(Shop.event("OrderPlaced").deliverAfter(Duration.ofHours(1)));
            shop.write(Shop.event("CustomerNotified").deliverAfter(Duration.ofHours(1)));
            viewer.open("");
            assertThat(viewer.heading("All is well")).isVisible();
            viewer.page.keyboard().press("?");
            assertThat(viewer.heading("Shortcuts of the keyboard")).isVisible();
            Axe.assertNoFindings(viewer.page, "the help");
            viewer.page.keyboard().press("Escape");
            assertThat(viewer.page.locator("dialog")).hasCount(0);
            viewer.page.keyboard().press("g");
            viewer.page.keyboard().press("e");
            assertThat(viewer.rows()).hasCount(2);
            viewer.page.keyboard().press("j");
            assertThat(viewer.link("CustomerNotified")).isFocused();
            viewer.page.keyboard().press("j");
            assertThat(viewer.link("OrderPlaced")).isFocused();
            viewer.page.keyboard().press("Enter");
            viewer.page.waitForURL(url -> url.endsWith(first));
            for (String[] key : new String[][] {{"d", "Dead letters"}, {"t", "Types and lanes"}, {"a", "Audit log"}}) {
                viewer.page.keyboard().press("g");
                viewer.page.keyboard().press(key[0]);
                assertThat(viewer.heading(key[1])).isVisible();
            }
        }
    }

    @Test
    void theFocusIsWhereSomethingHasHappened(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            String id = shop.writeDead(1, "OrderPlaced", "no stock").get(0);
            viewer.open("dead?view=letters");
            viewer.link("OrderPlaced").press("Enter");
            assertThat(viewer.heading("OrderPlaced")).isFocused();
            assertThat(viewer.page.locator(".links [aria-current]")).containsText("Dead letters");
            viewer.page.keyboard().press("g");
            viewer.page.keyboard().press("t");
            assertThat(viewer.heading("Types and lanes")).isFocused();

            viewer.open("events/" + id);
            viewer.button("Resolve").press("Enter");
            viewer.page.keyboard().press("Control+z");
            assertThat(viewer.button("Undo")).hasCount(0);
            viewer.button("Resolve").press("Enter");
            viewer.button("Undo").focus();
            assertThat(viewer.text("waiting")).isVisible();
            viewer.page.keyboard().press("Enter");
            assertThat(viewer.page.locator(".page-head .badge")).hasText("Dead letter");
            viewer.open("events/nothing");
            assertThat(viewer.page.locator("h1")).hasText("Not found");
        }
    }

    @Test
    void singleKeysCanBeSwitchedOff(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop)) {
            viewer.open("types");
            viewer.page.keyboard().press("?");
            viewer.page.getByLabel("Single keys are shortcuts").uncheck();
            viewer.button("Close").click();
            viewer.page.keyboard().press("?");
            assertThat(viewer.page.locator("dialog")).hasCount(0);
            viewer.button("Shortcuts of the keyboard").click();
            viewer.page.getByLabel("Single keys are shortcuts").check();
            viewer.button("Close").click();
            viewer.page.keyboard().press("?");
            assertThat(viewer.page.locator("dialog")).hasCount(1);
        }
    }

    @Test
    void aDialogKeepsTheFocus(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop)) {
            String id = shop.writeDead(1, "OrderPlaced", "no stock").get(0);
            viewer.open("events/" + id);
            viewer.button("Delete").click();
            for (int i = 0; i < 5; i++) {
                viewer.page.keyboard().press("Tab");
                assertThat(
                                viewer.page.evaluate(
                                        "document.activeElement === document.body || !!document.activeElement.closest('dialog')"))
                        .isEqualTo(true);
            }
            viewer.page.keyboard().press("Escape");
            assertThat(viewer.button("Delete")).isFocused();
        }
    }

    @Test
    void coloursAreThoseOfTheSystemUnlessOthersAreChosen(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop, options -> options.setColorScheme(ColorScheme.DARK))) {
            viewer.open("");
            assertThat(ground(viewer)).isEqualTo("rgb(14, 19, 26)");
            viewer.button("Colours: as the system. Change").click();
            assertThat(ground(viewer)).isEqualTo("rgb(245, 246, 248)");
            viewer.page.reload();
            assertThat(viewer.button("Colours: light. Change")).isVisible();
            viewer.page.keyboard().press("t");
            assertThat(ground(viewer)).isEqualTo("rgb(14, 19, 26)");
        }
    }

    private static Object ground(Viewer viewer) {
        return viewer.page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    }

    @ParameterizedTest
    @ValueSource(ints = {390, 320})
    void noPageIsWiderThanAPhone(int width, Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop, options -> options.setViewportSize(width, 844))) {
            String error = "https://a-host-with-a-very-long-name.example/" + "path".repeat(40);
            String id = shop.writeDead(1, "OrderPlaced", error).get(0);
            shop.write(Shop.event("OrderPlaced").aggregateId("a".repeat(120)));
            for (String path : List.of("", "events", "events/" + id, "dead", "dead?view=letters", "types", "audit")) {
                viewer.open(path);
                assertThat(viewer.page.locator("h1")).isVisible();
                assertThat(viewer.page.locator(".skeleton")).hasCount(0);
                assertThat(viewer.page.evaluate("document.documentElement.scrollWidth"))
                        .as(path)
                        .isEqualTo(width);
            }
        }
    }

    @Test
    void withoutAStreamThePageAsks(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            viewer.page.route("**/api/live", Route::abort);
            viewer.open("");
            assertThat(viewer.page.locator(".live")).hasText("Polling");
            assertThat(viewer.heading("All is well")).isVisible();
        }
    }

    @Test
    void aServerThatIsGoneIsNoticed(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            viewer.open("types");
            assertThat(viewer.page.locator(".live")).hasText("Live");
            shop.stopServing();
            assertThat(viewer.page.locator(".live")).hasText("No connection");
            assertThat(viewer.heading("Types and lanes")).isVisible();
        }
    }

    @Test
    void aStoreThatIsGoneIsNotAServerThatIsGone(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            viewer.open("types");
            assertThat(viewer.page.locator(".live")).hasText("Live");
            shop.loseStore();
            assertThat(viewer.page.locator(".live")).hasText("The store does not answer");
        }
    }

    @Test
    void whatFailedCanBeTriedAgain(Browser browser) {
        try (Shop shop = Shop.open();
                Viewer viewer = new Viewer(browser, shop).expectingRefusals()) {
            viewer.page.route("**/api/audit?*", route -> route.fulfill(new Route.FulfillOptions().setStatus(503)));
            viewer.open("audit");
            assertThat(viewer.text("The server answered 503")).isVisible();
            viewer.page.unroute("**/api/audit?*");
            viewer.button("Try again").click();
            assertThat(viewer.heading("No actions yet")).isVisible();
        }
    }

    @Test
    void withoutDeadLettersDeadEventsAreDecidedOnInTheSameWay(Browser browser) {
        try (Shop shop = Shop.Setup.usual().withoutDeadLetters().open();
                Viewer viewer = new Viewer(browser, shop)) {
            String id = shop.write(Shop.event("OrderPlaced").header(Shop.ERROR, "no stock"));
            shop.awaitState(id, EventStatus.DEAD);
            viewer.open("");
            viewer.page
                    .locator(".links a", new Page.LocatorOptions().setHasText("Dead events"))
                    .click();
            assertThat(viewer.heading("Dead events")).isVisible();
            assertThat(viewer.page.locator(".group")).containsText("no stock");
            assertThat(viewer.page.locator(".group .button")).hasCount(1);
            viewer.button("Other actions on group of OrderPlaced").click();
            assertThat(viewer.page.locator(".group .button")).hasCount(2);
            viewer.link("One by one").click();
            assertThat(viewer.rows()).hasCount(1);
            viewer.open("dead");
            viewer.page.locator(".group a").click();
            assertThat(viewer.rows()).hasCount(1);
            assertThat(viewer.page.getByLabel("Fingerprint of the error")).hasValue(Pattern.compile("[0-9a-f]{16}"));
            shop.mend();
            viewer.button("Replay all that match").click();
            viewer.button("Replay 1 event").click();
            viewer.doItNow();
            assertThat(viewer.page.locator(".job")).containsText("1 of 1");
            shop.awaitState(id, EventStatus.DONE);
        }
    }
}
