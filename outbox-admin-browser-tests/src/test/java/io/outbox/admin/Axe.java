package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Looks for what keeps people from using a page: WCAG 2.2 at level AA, and what is good practice beyond it. */
final class Axe {

    private static final String SCRIPT = script();

    private Axe() {}

    private static String script() {
        try (InputStream in = Axe.class.getResourceAsStream("/axe.min.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void assertNoFindings(Page page, String what) {
        if (page.evaluate("typeof window.axe").equals("undefined")) {
            page.evaluate(SCRIPT);
        }
        Object findings = page.evaluate("""
                async () => {
                  const { violations } = await axe.run();
                  return violations.flatMap(({ id, impact, help, nodes }) =>
                      nodes.map((node) => `${impact} ${id}: ${help}: ${node.html} ${node.failureSummary}`));
                }""");
        assertThat((List<?>) findings).as(what).isEmpty();
    }
}
