package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.springframework.core.env.MapPropertySource;

/**
 * Checks that XML is well-formed, and that the modules it depends on are in the BOM. With a change log of Liquibase an
 * application is started that finds its table.
 */
final class XmlSnippets {

    private static final String GROUP = "io.outbox";

    private XmlSnippets() {}

    static void check(Snippet snippet) throws IOException {
        Dependencies printed = Dependencies.of(snippet.text());
        Dependencies published = Dependencies.ofPom(Page.ROOT.resolve("outbox-bom/pom.xml"));
        assertThat(published.managed())
                .extracting(Dependencies.Artifact::name)
                .containsAll(printed.direct().stream()
                        .filter(artifact -> artifact.group().equals(GROUP))
                        .map(Dependencies.Artifact::name)
                        .toList());
        if (snippet.text().startsWith("<databaseChangeLog")) {
            migrate(snippet);
        }
    }

    private static void migrate(Snippet snippet) throws IOException {
        Path changeLog = Files.createTempFile("snippet", ".xml");
        try {
            Files.writeString(changeLog, snippet.text());
            SettingsSnippets.start(List.of(new MapPropertySource(
                    "snippet",
                    Map.of(
                            "spring.liquibase.change-log",
                            changeLog.toUri().toString(),
                            "outbox.schema.initialize",
                            "never"))));
        } finally {
            Files.delete(changeLog);
        }
    }
}
