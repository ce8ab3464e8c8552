package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** Somebody who looks at the dashboard of a shop, and notices whatever should not happen in a browser. */
final class Viewer implements AutoCloseable {

    private static final String REFUSED = "Failed to load resource";
    private static final int PATIENCE_MS = 30_000;

    private final Shop shop;
    private final BrowserContext context;
    private final List<String> faults = new ArrayList<>();
    private boolean expectsRefusals;
    final Page page;

    Viewer(Browser browser, Shop shop) {
        this(browser, shop, options -> options);
    }

    Viewer(Browser browser, Shop shop, UnaryOperator<Browser.NewContextOptions> settings) {
        this.shop = shop;
        this.context = browser.newContext(settings.apply(new Browser.NewContextOptions()
                .setViewportSize(1280, 900)
                .setLocale("en-GB")
                .setTimezoneId("Europe/Berlin")));
        context.setDefaultTimeout(PATIENCE_MS);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE_MS);
        this.page = context.newPage();
        page.onConsoleMessage(message -> {
            if (message.type().equals("error")
                    && !(expectsRefusals && message.text().startsWith(REFUSED))) {
                faults.add("console: " + message.text());
            }
        });
        page.onPageError(error -> faults.add("script: " + error));
        page.onDialog(dialog -> {
            faults.add("dialog: " + dialog.message());
            dialog.dismiss();
        });
        page.onRequest(request -> {
            if (!request.url().startsWith(shop.origin() + "/")) {
                faults.add("request to elsewhere: " + request.url());
            }
        });
    }

    /** The server is going to refuse something, which browsers write to the console. */
    Viewer expectingRefusals() {
        expectsRefusals = true;
        return this;
    }

    Viewer open(String path) {
        page.navigate(shop.page(path));
        return this;
    }

    /** Returns what the address says behind the hash. */
    String path() {
        return page.url().substring(page.url().indexOf("#/") + 2);
    }

    Locator rows() {
        return page.locator("tbody tr");
    }

    /** Does at once what waits to be undone. */
    void doItNow() {
        button("Do it now").click();
    }

    Locator button(String name) {
        return page.getByRole(
                AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator link(String name) {
        return page.getByRole(
                AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator heading(String name) {
        return page.getByRole(
                AriaRole.HEADING, new Page.GetByRoleOptions().setName(name).setExact(true));
    }

    Locator text(String text) {
        return page.getByText(text);
    }

    @Override
    public void close() {
        context.close();
        assertThat(faults).as("what should not happen in a browser").isEmpty();
    }
}
