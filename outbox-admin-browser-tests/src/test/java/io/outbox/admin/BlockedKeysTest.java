package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import io.outbox.model.EventStatus;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The page of blocked keys. */
@ExtendWith(BrowserExtension.class)
class BlockedKeysTest {

    private static final String TYPE = "PaymentCaptured";

    private Shop shop;
    private Viewer viewer;

    @AfterEach
    void close() {
        viewer.close();
        shop.close();
    }

    private Locator row(String text) {
        return viewer.page.locator("tr", new Page.LocatorOptions().setHasText(text));
    }

    private List<String> block(String key) {
        List<String> ids = shop.writeAll(List.of(
                Shop.event(TYPE).aggregateId(key).header(Shop.ERROR, "no funds").build(),
                Shop.event(TYPE).aggregateId(key).build()));
        await().atMost(Duration.ofSeconds(60))
                .until(() -> shop.outbox.blockedKeys().orElseThrow().list(10).stream()
                        .anyMatch(blocked -> blocked.key().contains(key)));
        return ids;
    }

    @Test
    void keysAreResumedAndSkipped(Browser browser) {
        shop = Shop.Setup.usual().orderedByKey().open();
        viewer = new Viewer(browser, shop);
        List<String> resumed = block("resumed");
        List<String> skipped = block("skipped");

        viewer.open("blocked");
        assertThat(row("Order/resumed#")).containsText("no funds");
        assertThat(viewer.page.locator(".pager")).containsText("2 blocked, 2 events waiting");
        Axe.assertNoFindings(viewer.page, "blocked keys");
        viewer.page.getByText("Newest first").click();
        assertThat(viewer.page.locator("tbody tr").first()).containsText("Order/skipped#");
        shop.mend();
        viewer.button("Resume Order/resumed#").click();
        assertThat(row("Order/resumed#")).hasCount(0);
        viewer.button("Skip Order/skipped#").click();
        viewer.page.getByLabel("Reason").fill("of no use");
        viewer.page.locator("dialog button[type=submit]").click();

        assertThat(viewer.page.locator(".empty")).containsText("No key is blocked");
        shop.awaitState(resumed.get(0), EventStatus.DONE);
        shop.awaitState(resumed.get(1), EventStatus.DONE);
        shop.awaitDead(List.of(skipped.get(0)));
        shop.awaitState(skipped.get(1), EventStatus.DONE);
        viewer.open("audit");
        assertThat(row("skip-key")).containsText("of no use");
    }

    @Test
    void withoutOrderThereIsNoSuchPage(Browser browser) {
        shop = Shop.open();
        viewer = new Viewer(browser, shop);

        viewer.open("");

        assertThat(viewer.page.locator("nav.links a")).hasCount(5);
        assertThat(viewer.page.getByText("Blocked keys")).hasCount(0);
    }
}
