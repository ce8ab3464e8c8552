package io.outbox.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A quick start of a page: an empty project of {@code quick-starts}, and the snippets of the page that carry its name.
 *
 * <p>The project has the dependencies that the page names and no others, which is tested, so that its class path is
 * that of a reader. Its sources are on the page alone.
 */
record QuickStart(Page page, String name) {

    private static final Path PROJECTS = Path.of("quick-starts").toAbsolutePath();
    private static final List<String> NAMES = projects();

    private static List<String> projects() {
        try (Stream<Path> projects = Files.list(PROJECTS)) {
            return projects.filter(project -> Files.exists(project.resolve("pom.xml")))
                    .map(project -> project.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot list the quick starts", e);
        }
    }

    /** Returns the names of all projects. */
    static List<String> names() {
        return NAMES;
    }

    static boolean isNamedBy(String word) {
        return names().stream().anyMatch(name -> isNamedBy(word, name));
    }

    /** Whether the word is the name, or the part of it before the version of Spring Boot. */
    static boolean isNamedBy(String word, String name) {
        return name.equals(word) || name.startsWith(word + "-boot");
    }

    static List<QuickStart> all() {
        return Page.all().stream()
                .flatMap(page -> names().stream().map(name -> new QuickStart(page, name)))
                .filter(quickStart -> quickStart.snippets("java").findAny().isPresent())
                .toList();
    }

    Path pom() {
        return PROJECTS.resolve(name).resolve("pom.xml");
    }

    /** The dependencies that the page names. */
    Dependencies dependencies() {
        Dependencies all = new Dependencies(new HashSet<>(), new HashSet<>());
        snippets("xml").map(snippet -> Dependencies.of(snippet.text())).forEach(some -> {
            all.direct().addAll(some.direct());
            all.managed().addAll(some.managed());
        });
        return all;
    }

    String classPath() throws IOException {
        return Files.readString(PROJECTS.resolve(name).resolve("target/classpath.txt"));
    }

    /** The lines that the page says it prints. */
    Set<String> printed() {
        Set<String> lines = new HashSet<>();
        snippets("text").flatMap(snippet -> snippet.text().lines()).forEach(lines::add);
        return lines;
    }

    Stream<Snippet> snippets(String language) {
        return page.snippets().stream()
                .filter(snippet -> snippet.language().equals(language) && snippet.isPartOf(name));
    }

    @Override
    public String toString() {
        return page + " " + name;
    }
}
