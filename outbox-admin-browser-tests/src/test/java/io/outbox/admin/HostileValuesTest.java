package io.outbox.admin;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.Page;
import io.outbox.EventEnvelope;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Values that would run if a page took them for markup are shown as the text that they are. */
@ExtendWith(BrowserExtension.class)
class HostileValuesTest {

    private static final String IMAGE = "<img src=x onerror=pwned()>";
    private static final String SCRIPT = "\"'><script>pwned()</script>{{7*7}}";
    private static final String LINK = "javascript:pwned()";

    private static EventEnvelope.Builder hostile(String id) {
        return EventEnvelope.builder(IMAGE)
                .eventId(id)
                .aggregateType("Order")
                .aggregateId(IMAGE + SCRIPT)
                .tenantId(IMAGE)
                .headers(Map.of(IMAGE, SCRIPT, "traceparent", LINK))
                .payloadJson("{\"" + IMAGE + "\":\"</pre><script>pwned()</script>\"}");
    }

    @Test
    void areInertInEveryColumn(Browser browser) {
        try (Shop shop = Shop.Setup.usual()
                        .withLane(IMAGE)
                        .with(settings -> settings.traceUrl("https://traces.example/{traceId}"))
                        .open();
                Viewer viewer = new Viewer(browser, shop)) {
            viewer.page.addInitScript("window.pwned = () => { window.isPwned = true; }");
            String letter = IMAGE.replace(" src", "/src");
            shop.write(hostile(letter).header(Shop.ERROR, IMAGE + SCRIPT));
            shop.awaitDead(List.of(letter));
            shop.write(hostile(IMAGE).header(Shop.UNREACHABLE, IMAGE + SCRIPT));
            shop.write(hostile(LINK).deliverAfter(Duration.ofHours(1)));
            shop.lock(LINK, IMAGE);
            shop.update("UPDATE outbox_event SET last_error = ? WHERE event_id = ?", IMAGE + SCRIPT, LINK);

            look(viewer, "");
            look(viewer, "events");
            look(viewer, "events?eventType=" + encoded(IMAGE) + "&error=" + encoded("pwned"));
            look(viewer, "events/" + encoded(LINK));
            assertThat(viewer.link("Show the trace")).hasCount(0);
            viewer.button("Release").click();
            assertThat(viewer.page.locator("dialog")).containsText(IMAGE);
            viewer.button("Cancel").click();
            look(viewer, "events/" + encoded(letter));
            viewer.button("Edit and replay").click();
            viewer.button("Cancel").click();
            look(viewer, "dead");
            viewer.button("Replay group of " + IMAGE).click();
            assertThat(viewer.page.locator("dialog")).containsText("1 event matches.");
            viewer.button("Cancel").click();
            look(viewer, "dead?view=letters");
            look(viewer, "types");
            viewer.button("Pause " + IMAGE).click();
            assertThat(viewer.text("Delivery of " + IMAGE + " is paused")).isVisible();
            look(viewer, "audit");
        }
    }

    /**
     * Names that every object of JavaScript has, and a payload that would fill the memory if all of it were indented.
     */
    @Test
    void areNotTakenForPartsOfTheProgram(Browser browser) {
        try (Shop shop = Shop.Setup.usual().open();
                Viewer viewer = new Viewer(browser, shop)) {
            String id = "a/constructor~50%";
            shop.write(EventEnvelope.builder("Late")
                    .eventId(id)
                    .aggregateType("Order")
                    .headers(Map.of("constructor", "1", "__proto__", "2", "toString", "3"))
                    .payloadJson("[".repeat(150) + "]".repeat(150))
                    .deliverAfter(Duration.ofHours(1)));
            viewer.open("events/" + encoded(id));
            assertThat(viewer.page.getByText("constructor", new Page.GetByTextOptions().setExact(true)))
                    .isVisible();
            assertThat(viewer.page.locator("pre.code")).containsText("[");
            for (String page : List.of("constructor", "toString", "__proto__")) {
                viewer.open(page);
                assertThat(viewer.page.locator("main h1")).hasText("Page not found");
            }
        }
    }

    @Test
    void areNoTrapsForTheModules(Browser browser) {
        try (Shop shop = Shop.Setup.usual().open();
                Viewer viewer = new Viewer(browser, shop)) {
            viewer.open("");
            assertThat(viewer.page.evaluate("""
                    async () => {
                      const load = (name) => import(new URL(`js/${name}.js`, document.baseURI));
                      const { pretty, prettyTokens } = await load('json');
                      const { traceId } = await load('trace');
                      const { segment } = await load('api');
                      const { knownSince, latest, points } = await load('series');
                      const deep = '['.repeat(5000) + ']'.repeat(5000);
                      const id = '0123456789abcdef0123456789abcdef';
                      return [
                        pretty('{"a":[1,{}],"b":12345678901234567890}'),
                        pretty('no json'),
                        String(pretty(deep).length < 1_000_000),
                        String(prettyTokens(`[${'1,'.repeat(50_000)}1]`)),
                        String(traceId({ constructor: 'x', hasOwnProperty: 'y' })),
                        traceId({ Traceparent: `00-${id}-01-01` }),
                        segment('a/b~%.ü'),
                        String(points([]).length),
                        String(latest([])),
                        String(knownSince([])),
                      ].join('|');
                    }"""))
                    .isEqualTo("{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": 12345678901234567890\n}|no json|true|null"
                            + "|undefined|0123456789abcdef0123456789abcdef|a~2Fb~7E~25~2E~C3~BC|0|undefined|undefined");
        }
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static void look(Viewer viewer, String path) {
        viewer.open(path);
        assertThat(viewer.page.getByText(IMAGE).first()).isVisible();
        assertThat(viewer.page.locator(".skeleton")).hasCount(0);
        assertThat(viewer.page.evaluate("window.isPwned === undefined"))
                .as(path)
                .isEqualTo(true);
        assertThat(viewer.page.locator("main img, main script").count())
                .as(path)
                .isZero();
    }
}
