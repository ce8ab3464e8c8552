package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;

/** The files of the dashboard fit together, and keep to what its policy for browsers allows. */
class WebFilesTest {

    private static final Path WEB = Path.of("src", "main", "resources", "META-INF", "outbox-admin", "web");
    private static final String LIBRARY = "lib/preact.mjs";

    private static List<Path> modules() {
        try (Stream<Path> files = Files.walk(WEB.resolve("js"))) {
            return files.filter(Files::isRegularFile).toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Set<String> all(String pattern, String text) {
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        return matcher.results().map(result -> result.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void thePageNamesEveryModuleSoThatNoneIsWaitedFor() {
        String page = read(WEB.resolve("index.html"));
        Set<String> named = all("<link rel=\"modulepreload\" href=\"([^\"]+)\">", page);
        named.addAll(all("<script type=\"module\" src=\"([^\"]+)\"></script>", page));
        Set<String> expected = modules().stream()
                .map(file -> WEB.relativize(file).toString())
                .collect(Collectors.toCollection(TreeSet::new));
        expected.add(LIBRARY);

        assertThat(named).isEqualTo(expected);
        assertThat(page).doesNotContain("<style").doesNotContainPattern("<script(?! type=\"module\" src)");
    }

    @Test
    void modulesImportWhatIsThere() {
        for (Path module : modules()) {
            for (String imported : all("from '([^']+)'", read(module))) {
                Path file = module.resolveSibling(imported).normalize();
                assertThat(Files.exists(file) || file.equals(WEB.resolve(LIBRARY)))
                        .as("%s imports %s", module, imported)
                        .isTrue();
            }
        }
    }

    @Test
    void nothingIsMadeFromMarkupOrLoadedFromElsewhere() {
        for (Path module : modules()) {
            assertThat(read(module))
                    .as("%s", module)
                    .doesNotContainPattern("(?i)innerHTML|insertAdjacentHTML|document\\.write|eval\\(|new Function")
                    .doesNotContain("http://", "https://");
        }
    }

    @Test
    void browsersKeepFilesAndCompareThePageThatNamesThem() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            HttpResponse<InputStream> page = fixture.stream("/outbox-admin/");
            assertThat(page.headers().firstValue("Cache-Control")).hasValue("no-cache");
            String tag = page.headers().firstValue("ETag").orElseThrow();
            HttpResponse<InputStream> same = fixture.stream("/outbox-admin/", "If-None-Match", tag);
            assertThat(same.statusCode()).isEqualTo(304);
            assertThat(same.body().readAllBytes()).isEmpty();

            String main = all(
                            "src=\"(v-[0-9a-f]+/js/main\\.js)\"",
                            new String(page.body().readAllBytes(), StandardCharsets.UTF_8))
                    .iterator()
                    .next();
            HttpResponse<InputStream> kept = fixture.stream("/outbox-admin/" + main);
            assertThat(kept.headers().firstValue("Cache-Control"))
                    .hasValueSatisfying(text -> assertThat(text).contains("immutable"));
            assertThat(kept.body().readAllBytes()).isEqualTo(Files.readAllBytes(WEB.resolve("js/main.js")));
            assertThat(fixture.stream("/outbox-admin/v-0/js/main.js").statusCode())
                    .isEqualTo(404);
        }
    }

    @Test
    void filesAreSentCompressedToWhoTakesThat() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            String path = "/outbox-admin/css/base.css";
            byte[] plain = fixture.stream(path).body().readAllBytes();
            HttpResponse<InputStream> compressed = fixture.stream(path, "Accept-Encoding", "br, gzip");
            assertThat(compressed.headers().firstValue("Content-Encoding")).hasValue("gzip");
            byte[] sent = compressed.body().readAllBytes();
            assertThat(sent).hasSizeLessThan(plain.length);
            assertThat(new GZIPInputStream(new ByteArrayInputStream(sent)).readAllBytes())
                    .isEqualTo(plain);
        }
    }

    @Test
    void anEventThatIsKnownIsNotSentAgain() throws IOException {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            String path = AdminFixture.BASE + "/events/" + fixture.writeDead(1).get(0);
            HttpResponse<InputStream> first = fixture.stream(path);
            assertThat(first.headers().firstValue("Cache-Control")).hasValue("no-store");
            String tag = first.headers().firstValue("ETag").orElseThrow();
            assertThat(fixture.stream(path, "If-None-Match", tag).statusCode()).isEqualTo(304);
            assertThat(fixture.post(path + "/resolve").status()).isEqualTo(204);
            assertThat(fixture.stream(path, "If-None-Match", tag).statusCode()).isEqualTo(200);
        }
    }

    @Test
    void theLibraryHasItsLicense() {
        assertThat(WebFiles.read("/META-INF/outbox-admin/web/" + LIBRARY)).isNotEmpty();
        assertThat(new String(WebFiles.read("/META-INF/outbox-admin/web/lib/LICENSE"), StandardCharsets.UTF_8))
                .contains("MIT License");
    }
}
