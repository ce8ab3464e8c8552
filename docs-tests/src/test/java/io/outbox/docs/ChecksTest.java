package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The checks of the documentation notice what is wrong, and say where. */
class ChecksTest {

    private static Page page(String text) {
        return Page.of(Page.ROOT.resolve("README.md"), text);
    }

    private static Snippet snippet(String language, String text) {
        return page("```" + language + "\n" + text + "\n```\n").snippets().get(0);
    }

    @Test
    void snippetsAreTakenAsTheyArePrinted() {
        Page page = page("""
                ## On MySQL

                1. Step

                   ```java spring kafka-boot3
                   class A {

                       int b;
                   }
                   ```

                ```
                a   b
                ```
                """);
        assertThat(page.snippets())
                .containsExactly(
                        new Snippet(
                                "README.md",
                                6,
                                "## On MySQL",
                                "java",
                                List.of("spring", "kafka-boot3"),
                                "class A {\n\n    int b;\n}\n"),
                        new Snippet("README.md", 13, "## On MySQL", "", List.of(), "a   b\n"));
        assertThatThrownBy(() -> page("text\n```java\nclass A {}\n")).hasMessageContaining("README.md:2 has no end");
    }

    @ParameterizedTest
    @CsvSource({
        "spring, spring-boot4, true",
        "spring, spring-boot3, true",
        "kafka-boot3, kafka-boot3, true",
        "kafka-boot3, kafka-boot4, false",
        "kafka, rabbitmq-boot4, false"
    })
    void wordsOfAFenceNameQuickStarts(String word, String quickStart, boolean part) {
        assertThat(snippet("java " + word, "class A {}").isPartOf(quickStart)).isEqualTo(part);
    }

    @Test
    void javaThatDoesNotCompileIsReportedWithItsLineInThePage(@TempDir Path directory) {
        Page page = page("""
                ```java
                import java.util.List;
                class File {
                    List<Missing> list;
                }
                ```
                ```java
                void member() {
                    missing();
                }
                ```
                ```java
                Duration fine = Duration.ZERO;
                Outbox outbox = fine;
                ```
                ```java
                class Fine {
                    List<String> list;
                }
                List<String> notImportedHere;
                ```
                """.replace("List<String>", "java.util.List<String>"));
        assertThat(JavaSnippets.problems(page, directory).values())
                .satisfiesOnlyOnce(
                        lines -> assertThat(lines).singleElement().asString().startsWith("README.md:4 "))
                .satisfiesOnlyOnce(
                        lines -> assertThat(lines).singleElement().asString().startsWith("README.md:9 "))
                .satisfiesOnlyOnce(
                        lines -> assertThat(lines).singleElement().asString().startsWith("README.md:14 "))
                .satisfiesOnlyOnce(lines -> assertThat(lines).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "outbox.thread-pool-siz: 3",
                "outbox.dispatcher.workers: 3",
                "outbox.publisher.events.order-placed.topics: orders",
                "spring.kafka.bootstrap-server: localhost:9092",
                "outbox.dispatcher.worker-count: many",
                "outbox.mode: ordered\noutbox.claim-locking.enabled: true"
            })
    void settingsThatDoNotExistOrDoNotFitAreNoticed(String yaml) {
        assertThatThrownBy(() -> SettingsSnippets.check(snippet("yaml", yaml))).isNotNull();
    }

    @Test
    void sqlRunsInADatabaseWithAnOutbox() throws Exception {
        SqlSnippets.execute(
                snippet("sql", "SELECT event_id FROM outbox_event; -- fine;\nCREATE TABLE orders (id INT);"));
        assertThatThrownBy(() -> SqlSnippets.execute(snippet("sql", "SELECT id FROM outbox_event")))
                .hasMessageContaining("\"ID\"");
    }

    @Test
    void modulesAndCommandsThatDoNotExistAreNoticed() throws Exception {
        assertThatThrownBy(() -> XmlSnippets.check(snippet("xml", """
                <dependency>
                  <groupId>io.outbox</groupId>
                  <artifactId>outbox-missing</artifactId>
                </dependency>"""))).hasMessageContaining("outbox-missing");
        ShellSnippets.check("./outbox demo spring");
        assertThatThrownBy(() -> ShellSnippets.check("./outbox demo missing")).hasMessageContaining("missing");
        assertThatThrownBy(() -> ShellSnippets.check("./outbox missing")).hasMessageContaining("missing");
    }
}
