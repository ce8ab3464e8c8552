package io.outbox.spring.boot.aot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.aot.ShopApplication.Item;
import io.outbox.spring.boot.aot.ShopApplication.Listeners;
import io.outbox.spring.boot.aot.ShopApplication.OrderCancelled;
import io.outbox.spring.boot.aot.ShopApplication.OrderPlaced;
import io.outbox.spring.boot.aot.ShopApplication.Parcel;
import io.outbox.spring.boot.aot.ShopApplication.Price;
import io.outbox.spring.boot.aot.ShopApplication.Renamed;
import io.outbox.spring.boot.aot.ShopApplication.Returned;
import io.outbox.spring.boot.aot.ShopApplication.Returns;
import io.outbox.spring.boot.aot.ShopApplication.Shipment;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplicationAotProcessor;

/** An application that is processed ahead of time as Spring Boot's build plugins do it, and then runs in that form. */
class AheadOfTimeTest {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    @TempDir
    static Path directory;

    private static Path sources;
    private static Path resources;
    private static Path classes;

    @BeforeAll
    static void processAndCompile() throws Exception {
        sources = directory.resolve("sources");
        resources = directory.resolve("resources");
        classes = directory.resolve("classes");
        String log = java(
                CLASS_PATH,
                SpringApplicationAotProcessor.class,
                List.of(),
                ShopApplication.class.getName(),
                sources.toString(),
                resources.toString(),
                classes.toString(),
                "shop",
                "shop",
                "--outbox.consumer.enabled=true",
                "--shop.paid=AtBuildTime",
                "--shop.attempts=1");
        assertThat(sources).as(log).isNotEmptyDirectory();
        compile();
    }

    private static void compile() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null);
                Stream<Path> generated = Files.walk(sources)) {
            List<String> options = List.of(
                    "-proc:none",
                    "-nowarn",
                    "-d",
                    classes.toString(),
                    "-cp",
                    classes + File.pathSeparator + CLASS_PATH);
            List<Path> units =
                    generated.filter(file -> file.toString().endsWith(".java")).toList();
            assertThat(compiler.getTask(null, files, null, options, null, files.getJavaFileObjectsFromPaths(units))
                            .call())
                    .isTrue();
        }
    }

    /** Runs a main class to its end and returns what it printed. */
    private static String java(String classPath, Class<?> main, List<String> options, String... arguments)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(
                "-Dspring.flyway.enabled=false",
                "-Dspring.liquibase.enabled=false",
                "-Dspring.main.web-application-type=none"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath, main.getName()));
        command.addAll(List.of(arguments));
        Path output = Files.createTempFile(directory, "java", ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES))
                    .as(() -> "ended in time: " + text(output))
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).as(text(output)).isZero();
        return text(output);
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void eventsOfEveryKindReachListenersOfEveryKind() throws Exception {
        String log = java(
                String.join(File.pathSeparator, classes.toString(), resources.toString(), CLASS_PATH),
                ShopApplication.class,
                List.of("-Dspring.aot.enabled=true"),
                "--logging.level." + ShopApplication.class.getName() + "=info",
                "--outbox.consumer.enabled=true",
                "--shop.paid=OrderPaid",
                "--shop.attempts=3",
                "--outbox.listeners.placed.rate-limit=100");
        assertThat(log).contains("Starting AOT-processed ShopApplication");
        assertThat(log.lines()
                        .filter(line -> line.startsWith(ShopApplication.DELIVERED))
                        .map(line -> line.substring(ShopApplication.DELIVERED.length())))
                .containsExactlyInAnyOrderElementsOf(ShopApplication.EXPECTED);
    }

    @Test
    void aNativeImageKeepsTheMethodsOfListeners() throws IOException {
        NativeMetadata metadata = NativeMetadata.in(resources);
        assertThat(metadata.methodsOf(Listeners.class)).contains("placed", "audited", "shipped", "paid", "cancelled");
    }

    @Test
    void aNativeImageKeepsWhatIsWrittenAndReadAsJson() throws IOException {
        NativeMetadata metadata = NativeMetadata.in(resources);
        assertThat(metadata.methodsOf(OrderPlaced.class)).contains("id", "items");
        assertThat(metadata.methodsOf(Item.class)).as("below a payload").contains("name");
        assertThat(metadata.methodsOf(Parcel.class)).as("in a batch").contains("id");
        assertThat(metadata.methodsOf(Shipment.class))
                .as("returned to be published")
                .contains("id");
        assertThat(metadata.methodsOf(Returned.class))
                .as("passed to be published")
                .contains("id");
        assertThat(metadata.methodsOf(OrderCancelled.class))
                .as("an application event")
                .contains("id");
    }

    @Test
    void aNativeImageKeepsWhatExpressionsCall() throws IOException {
        NativeMetadata metadata = NativeMetadata.in(resources);
        assertThat(metadata.methodsOf(Price.class)).contains("cents");
        assertThat(metadata.methodsOf(OrderCancelled.class)).contains(NativeMetadata.ALL_PUBLIC);
    }

    @Test
    void aNativeImageKeepsTheTypesThatListenersNameByClass() throws IOException {
        assertThat(NativeMetadata.in(resources).constructs(Renamed.class)).isTrue();
    }

    @Test
    void aNativeImageKeepsTheSettingsOfListeners() throws IOException {
        NativeMetadata metadata = NativeMetadata.in(resources);
        assertThat(metadata.methodsOf(OutboxProperties.class)).contains("getListeners");
        assertThat(metadata.methodsOf(OutboxProperties.ListenerSettings.class)).contains("setRateLimit");
        assertThat(metadata.methodsOf(OutboxProperties.ListenerBackoff.class)).contains("setDelay");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "schema/h2.sql",
                "schema/postgresql-lanes.sql",
                "schema/postgresql-inbox.sql",
                "schema/flyway/mysql/R__outbox_event.sql",
                "schema/flyway-inbox/mysql/R__outbox_consumed_event.sql",
                "schema/flyway-lanes/mariadb/R__outbox_event_lanes.sql",
                "schema/liquibase/outbox.xml"
            })
    void aNativeImageKeepsTheScriptsOfTheTable(String script) throws IOException {
        assertThat(getClass().getClassLoader().getResource(script)).isNotNull();
        assertThat(NativeMetadata.in(resources).hasResource(script)).isTrue();
    }

    @Test
    void aNativeImageHasTheProxyForMethodsThatPublish() {
        assertThat(classes.resolve(Returns.class.getName().replace('.', '/') + "$$SpringCGLIB$$0.class"))
                .exists();
    }
}
