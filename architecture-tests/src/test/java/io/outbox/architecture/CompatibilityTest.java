package io.outbox.architecture;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The public API of each published module has everything that is recorded in {@code architecture-tests/api}. */
class CompatibilityTest {

    private static final Path RECORDS = Path.of("api");

    /** Set by {@code ./outbox api}: the API is recorded and not judged. */
    private static final boolean RECORD = Boolean.getBoolean("outbox.api.record");

    private static final Pattern MODULE =
            Pattern.compile(".*/(outbox-[a-z0-9-]+?)(-[0-9.]+[^/]*\\.jar!|/target/classes)/.*");

    private static final Map<String, List<JavaClass>> CLASSES =
            Modules.ALL.stream().collect(groupingBy(CompatibilityTest::module));

    static Stream<String> published() throws IOException {
        try (Stream<Path> directories = Files.list(Path.of(".."))) {
            return directories
                    .filter(directory -> Files.isDirectory(directory.resolve("src/main/java")))
                    .filter(directory -> !text(directory.resolve("pom.xml")).contains("maven.deploy.skip"))
                    .map(directory -> directory.getFileName().toString())
                    .collect(toCollection(TreeSet::new))
                    .stream();
        }
    }

    @ParameterizedTest
    @MethodSource("published")
    void theApiOfAModuleKeepsWhatIsRecorded(String module) throws IOException {
        assertThat(CLASSES).as("modules of these tests").containsKey(module);
        PublicApi api = PublicApi.of(CLASSES.get(module));
        Path record = RECORDS.resolve(module + ".txt");
        if (RECORD) {
            Files.createDirectories(RECORDS);
            Files.write(record, api.lines());
        }

        assertThat(record)
                .as("the API of %s is not recorded; run ./outbox api", module)
                .exists();
        assertThat(api.breaks(PublicApi.parse(Files.readAllLines(record))))
                .as(
                        "The public API of %s has changed in a way that breaks its users. Keep the former signature and deprecate it,"
                                + " and give new methods of interfaces a default. If the change is deliberate, run ./outbox api to record"
                                + " it in architecture-tests/api, and describe it in UPGRADING.md",
                        module)
                .isEmpty();
    }

    @Test
    void whatIsRecordedIsReadAsItWas() {
        PublicApi api = PublicApi.of(CLASSES.get("outbox-core"));

        assertThat(api.types()).hasSizeGreaterThan(80);
        assertThat(PublicApi.parse(api.lines())).isEqualTo(api);
    }

    @Test
    void additionsAndFewerRestrictionsBreakNobody() {
        PublicApi former = api("interface a.A", "  abstract b(): void", "final class a.C", "  protected new()");
        PublicApi later = api(
                "interface a.A",
                "  b(): void",
                "  c(): void",
                "class a.C",
                "  new()",
                "interface a.D",
                "  abstract e(): void");

        assertThat(later.breaks(former)).isEmpty();
    }

    @Test
    void whatIsGoneOrMoreRestrictedBreaksUsersAndNewAbstractMethodsImplementations() {
        PublicApi former = api("class a.A", "  is a.B", "  b(): int", "  c(): void", "interface a.D", "interface a.E");
        PublicApi later =
                api("final class a.A", "  b(): long", "  protected c(): void", "interface a.D", "  abstract e(): void");

        assertThat(later.breaks(former))
                .containsExactly(
                        "more restricted: final class a.A of class a.A, was: class a.A",
                        "removed: is a.B of class a.A",
                        "removed: b(): int of class a.A",
                        "more restricted: protected c(): void of class a.A, was: c(): void",
                        "to be implemented: abstract e(): void of interface a.D",
                        "removed: interface a.E");
    }

    @Test
    void resultsThatBecomeNullableAndParametersThatNoLongerAreBreakUsers() {
        PublicApi former = api("class a.A", "  b(int, a.B|null): a.C", "  c(a.B): a.C|null", "  d: a.B");
        PublicApi later = api("class a.A", "  b(int, a.B): a.C", "  c(a.B|null): a.C", "  d: a.B|null");

        assertThat(later.breaks(former))
                .containsExactly(
                        "other nullness: b(int, a.B): a.C of class a.A, was: b(int, a.B|null): a.C",
                        "other nullness: d: a.B|null of class a.A, was: d: a.B");
        assertThat(former.breaks(later))
                .containsExactly("other nullness: c(a.B): a.C|null of class a.A, was: c(a.B|null): a.C");
    }

    @Test
    void classesAreReadAsUsersSeeThem() {
        assertThat(PublicApi.of(new ClassFileImporter().importClasses(Shown.class, Hidden.class))
                        .lines())
                .containsExactly(
                        "abstract class io.outbox.architecture.Shown<T extends java.lang.Number>",
                        "  abstract found(java.util.List<? extends T>): java.lang.String[] throws java.io.IOException",
                        "  final static LIMIT: int",
                        "  inherited(): void",
                        "  is java.lang.Runnable",
                        "  protected new(byte[]|null)");
    }

    private static PublicApi api(String... lines) {
        return PublicApi.parse(List.of(lines));
    }

    private static String module(JavaClass type) {
        Matcher module = MODULE.matcher(type.getSource().orElseThrow().getUri().toString());
        return module.matches() ? module.group(1) : "none";
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
