package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Links in pages and alert rules lead to files, and to headings where they name one. */
class LinksTest {

    private static final Pattern FENCED = Pattern.compile("(?ms)^( *)```.*?^\\1```$");
    private static final Pattern LINK = Pattern.compile("]\\((?<file>[^)#\\s]*)(#(?<anchor>[^)\\s]*))?\\)");
    private static final Pattern RUNBOOK = Pattern.compile("runbook: (?<file>[^#\\s]+)(#(?<anchor>\\S+))?");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

    static List<Path> pages() throws IOException {
        try (Stream<Path> files = Files.list(Page.ROOT)) {
            List<Path> first = files.filter(file -> file.toString().matches(".*\\.(md|txt)"))
                    .sorted()
                    .toList();
            return Stream.concat(first.stream(), Page.all().stream().map(Page::file))
                    .distinct()
                    .toList();
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadToFilesAndHeadings(Path page) throws IOException {
        check(page, LINK, page);
    }

    @Test
    void alertsNameSectionsOfTheRunbook() throws IOException {
        check(Page.ROOT.resolve("docs/grafana/alerts.yml"), RUNBOOK, Page.ROOT.resolve("docs/README.md"));
    }

    @Test
    void anchorsFollowTheRuleOfGitHub() {
        String text = "# A `b_c`, (d)-e.f\n\n```sh\n# no heading\n```\n\n## [Same](x.md)\n\n### Same\n";

        assertThat(anchors(text)).containsExactly("a-b_c-d-ef", "same", "same-1");
    }

    /** Follows the links of a file, which are relative to a page. */
    private static void check(Path file, Pattern link, Path base) throws IOException {
        Matcher matcher = link.matcher(withoutFences(Files.readString(file)));
        while (matcher.find()) {
            String name = matcher.group("file");
            if (name.contains("://")) {
                continue;
            }
            Path target = name.isEmpty() ? base : base.resolveSibling(name);
            assertThat(target).exists();
            if (matcher.group("anchor") != null) {
                assertThat(anchors(Files.readString(target)))
                        .as("headings of %s", name)
                        .contains(matcher.group("anchor"));
            }
        }
    }

    private static List<String> anchors(String text) {
        Map<String, Integer> seen = new HashMap<>();
        return HEADING.matcher(withoutFences(text))
                .results()
                .map(heading -> anchor(heading.group(1)))
                .map(anchor -> {
                    int before = seen.merge(anchor, 1, Integer::sum) - 1;
                    return before == 0 ? anchor : anchor + "-" + before;
                })
                .toList();
    }

    /** Lower case, without punctuation and the targets of links, hyphens for spaces. */
    private static String anchor(String heading) {
        return heading.strip()
                .replaceAll("\\[([^\\]]*)]\\([^)]*\\)", "$1")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\p{L}\\p{N}_ -]", "")
                .replace(' ', '-');
    }

    private static String withoutFences(String text) {
        return FENCED.matcher(text).replaceAll("");
    }
}
