package io.outbox.admin;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One browser for all tests. */
final class BrowserExtension implements ParameterResolver {

    /** What has to be closed at the end. */
    private record Chromium(Playwright playwright, Browser browser) implements AutoCloseable {

        static Chromium start() {
            Playwright playwright = Playwright.create(
                    new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
            Browser browser = playwright
                    .chromium()
                    .launch(new BrowserType.LaunchOptions()
                            .setExecutablePath(program())
                            .setArgs(List.of("--no-sandbox", "--disable-background-networking")));
            return new Chromium(playwright, browser);
        }

        private static Path program() {
            return Stream.of(System.getenv("OUTBOX_TEST_CHROMIUM"), "/usr/bin/chromium", "/usr/bin/google-chrome")
                    .filter(Objects::nonNull)
                    .map(Path::of)
                    .filter(Files::isExecutable)
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException(
                            "No Chromium: run bin/install-test-servers, or set OUTBOX_TEST_CHROMIUM to its program"));
        }

        @Override
        public void close() {
            browser.close();
            playwright.close();
        }
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == Browser.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(Namespace.create(BrowserExtension.class))
                .computeIfAbsent(Chromium.class, key -> Chromium.start(), Chromium.class)
                .browser();
    }
}
