package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The loggers of the published modules are those of the table in operations.md. */
class LoggerNamesTest {

    private static final String ROOT = "io.outbox";
    private static final Pattern LOGGER =
            Pattern.compile("System\\.getLogger\\(\\s*(?:\"(?<name>[^\"]+)\"|(?<type>\\w+)\\.class\\.getName\\(\\))");

    @Test
    void everyLoggerBeginsWithADocumentedNameAndEveryDocumentedNameIsUsed() throws IOException {
        Set<String> documented = documented();
        Map<String, Path> used = used();

        assertThat(documented).contains(ROOT, "io.outbox.delivery");
        assertThat(used).hasSizeGreaterThan(documented.size());
        assertThat(used)
                .as("loggers below %s that operations.md does not name", ROOT)
                .allSatisfy((name, file) -> assertThat(documented).anyMatch(known -> isOf(name, known)));
        assertThat(documented).allSatisfy(known -> assertThat(used.keySet()).anyMatch(name -> isOf(name, known)));
    }

    /** The name of all loggers documents only itself. */
    private static boolean isOf(String name, String documented) {
        return name.equals(documented) || (!documented.equals(ROOT) && name.startsWith(documented + "."));
    }

    private static Set<String> documented() throws IOException {
        Set<String> names = new TreeSet<>();
        Files.readString(Page.ROOT.resolve("docs/operations.md"))
                .lines()
                .dropWhile(line -> !line.startsWith("| Logger |"))
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|")[1])
                .flatMap(cell -> Pattern.compile("`([^`]+)`").matcher(cell).results())
                .forEach(name -> names.add(name.group(1)));
        return names;
    }

    private static Map<String, Path> used() throws IOException {
        Map<String, Path> names = new TreeMap<>();
        try (Stream<Path> modules = Files.list(Page.ROOT)) {
            for (Path sources : modules.filter(LoggerNamesTest::isPublished)
                    .map(module -> module.resolve("src/main/java"))
                    .filter(Files::isDirectory)
                    .toList()) {
                try (Stream<Path> files = Files.walk(sources)) {
                    for (Path file : files.filter(each -> each.toString().endsWith(".java"))
                            .toList()) {
                        String text = Files.readString(file);
                        Matcher logger = LOGGER.matcher(text);
                        while (logger.find()) {
                            String name = logger.group("name");
                            names.put(name != null ? name : resolved(logger.group("type"), text), file);
                        }
                    }
                }
            }
        }
        return names;
    }

    private static boolean isPublished(Path module) {
        try {
            Path pom = module.resolve("pom.xml");
            return Files.exists(pom) && !Files.readString(pom).contains("maven.deploy.skip");
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read the pom of " + module, e);
        }
    }

    private static String resolved(String type, String text) {
        Matcher origin = Pattern.compile("(?m)^import (?<name>[\\w.]+\\." + type + ");|^package (?<own>[\\w.]+);")
                .matcher(text);
        String name = null;
        while (origin.find()) {
            name = origin.group("name") != null ? origin.group("name") : origin.group("own") + "." + type;
        }
        return name;
    }
}
