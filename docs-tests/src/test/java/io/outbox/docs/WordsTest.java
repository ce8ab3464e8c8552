package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Pages, messages, the dashboard and the API document do without phrases that need a second reading. */
class WordsTest {

    /** Their better words: each, any, continues, immediately, silently, holds, fix, receives, is redelivered. */
    private static final Pattern FOREIGN = Pattern.compile(
            "\\b(whoever|whomever|whatever|somebody|nobody|anybody|go(es)? on|carr(y|ies) on|at once|all the same|as ever"
                    + "|without a word|for want of|in vain|in hand|to be had|(is|are) told|mend(s|ed)?|comes? again"
                    + "|hears? nothing|ends? the start|takes the role)\\b(?!-)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern LITERAL = Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'|`[^`]*`");

    /** Files that are read as a whole, and programs, of which users read the texts. */
    static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>(Page.all().stream()
                .map(Page::file)
                .filter(file -> !isDecision(file))
                .toList());
        for (String name : List.of("CHANGELOG.md", "SECURITY.md", "UPGRADING.md", "docs/grafana/alerts.yml")) {
            files.add(Page.ROOT.resolve(name));
        }
        try (Stream<Path> modules = Files.list(Page.ROOT)) {
            for (Path module : modules.filter(WordsTest::isPublished).toList()) {
                try (Stream<Path> sources = Files.walk(module.resolve("src/main"))) {
                    sources.filter(file -> file.toString().matches(".*(\\.java|/web/.*\\.js|openapi\\.json)"))
                            .forEach(files::add);
                }
            }
        }
        return files;
    }

    private static boolean isPublished(Path module) {
        return module.getFileName().toString().startsWith("outbox-")
                && !module.endsWith("outbox-testing")
                && Files.isDirectory(module.resolve("src/main"));
    }

    /** Decisions are records of their day. */
    private static boolean isDecision(Path file) {
        return file.getParent().endsWith("adr");
    }

    @Test
    void textsArePlain() throws IOException {
        List<String> found = new ArrayList<>();
        for (Path file : files()) {
            List<String> lines = Files.readAllLines(file);
            for (int i = 0; i < lines.size(); i++) {
                for (String phrase : foreign(file, lines.get(i))) {
                    found.add(Page.ROOT.relativize(file) + ":" + (i + 1) + " " + phrase);
                }
            }
        }
        assertThat(found).isEmpty();
    }

    @ParameterizedTest
    @MethodSource
    void foreignPhrasesAreFound(String file, String line, List<String> phrases) {
        assertThat(foreign(Path.of(file), line)).isEqualTo(phrases);
    }

    static List<Object[]> foreignPhrasesAreFound() {
        return List.of(
                new Object[] {
                    "a.md", "Delivery goes on; whoever waits is told.", List.of("goes on", "whoever", "is told")
                },
                new Object[] {"a.md", "Delivery resumes ([ADR](0078-nobody-waits.md)).", List.of()},
                new Object[] {"A.java", "log(\"at once\", nobody); // somebody", List.of("at once")},
                new Object[] {"A.java", " * Whatever comments say.", List.of()},
                new Object[] {"a.js", "h('p', `Whatever ${name}`)", List.of("Whatever")});
    }

    private static List<String> foreign(Path file, String line) {
        boolean isProgram = file.toString().matches(".*\\.(java|js)");
        if (!isProgram) {
            return FOREIGN.matcher(line).results().map(MatchResult::group).toList();
        }
        if (line.strip().matches("(\\*|/).*")) {
            return List.of();
        }
        List<String> found = new ArrayList<>();
        Matcher literal = LITERAL.matcher(line);
        while (literal.find()) {
            FOREIGN.matcher(literal.group()).results().map(MatchResult::group).forEach(found::add);
        }
        return found;
    }
}
