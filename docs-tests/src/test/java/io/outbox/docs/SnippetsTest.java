package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Compiles or executes every snippet of the documentation; one in a language that nobody checks is a failure. */
class SnippetsTest {

    @TempDir
    private Path directory;

    @TestFactory
    Stream<DynamicContainer> pages() {
        return Page.all().stream()
                .filter(page -> !page.snippets().isEmpty())
                .map(page -> dynamicContainer(page.toString(), page.file().toUri(), snippets(page)));
    }

    private Stream<DynamicTest> snippets(Page page) {
        Map<Snippet, List<String>> problems = JavaSnippets.problems(page, directory);
        return page.snippets().stream()
                .map(snippet -> dynamicTest(snippet.toString(), source(page, snippet), check(snippet, problems)));
    }

    private static URI source(Page page, Snippet snippet) {
        return URI.create(page.file().toUri() + "?line=" + snippet.line());
    }

    private static Executable check(Snippet snippet, Map<Snippet, List<String>> javaProblems) {
        return switch (snippet.language()) {
            case "java" ->
                () -> assertThat(javaProblems.getOrDefault(snippet, List.of())).isEmpty();
            case "yaml", "properties" -> () -> SettingsSnippets.check(snippet);
            case "sql" -> () -> SqlSnippets.execute(snippet);
            case "xml" -> () -> XmlSnippets.check(snippet);
            case "json" -> () -> new ObjectMapper().readTree(snippet.text());
            case "sh" -> () -> ShellSnippets.check(snippet.text());
            case "", "text", "mermaid" -> () -> {};
            default ->
                () -> assertThat(snippet.language())
                        .as("language of %s", snippet)
                        .isIn("one that is checked");
        };
    }

    @Test
    void wordsAfterTheLanguageNameQuickStartsOrDatabases() {
        assertThat(Page.all())
                .flatExtracting(Page::snippets)
                .allSatisfy(snippet -> assertThat(snippet.words())
                        .allMatch(word -> QuickStart.isNamedBy(word) || SqlSnippets.DATABASES.containsKey(word)));
    }

    @Test
    void commandsInTheTextExist() {
        assertThat(Page.all()).allSatisfy(page -> ShellSnippets.check(page.text()));
    }
}
