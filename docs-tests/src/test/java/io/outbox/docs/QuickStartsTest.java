package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.RabbitServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Builds and runs the quick starts from nothing but what their pages print, each in a JVM of its own. */
class QuickStartsTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String OUTPUT = "output.txt";

    static List<QuickStart> quickStarts() {
        return QuickStart.all();
    }

    @Test
    void everyProjectBelongsToAPage() {
        assertThat(quickStarts().stream().map(QuickStart::name).collect(Collectors.toSet()))
                .containsExactlyInAnyOrderElementsOf(QuickStart.names());
    }

    @ParameterizedTest
    @MethodSource("quickStarts")
    void hasTheDependenciesOfItsPageAndNoOthers(QuickStart quickStart) {
        Dependencies project = Dependencies.ofPom(quickStart.pom());
        assertThat(project.direct()).isEqualTo(quickStart.dependencies().direct());
        assertThat(project.managed()).containsAll(quickStart.dependencies().managed());
        assertThat(project.managed())
                .extracting(Dependencies.Artifact::name)
                .isSubsetOf("outbox-bom", "spring-boot-dependencies");
    }

    @Test
    void projectsUseTheVersionsOfTheBuild() throws IOException {
        String build = Files.readString(Page.ROOT.resolve("pom.xml"));
        assertThat(Files.readString(Path.of("quick-starts/pom.xml")).lines().filter(line -> line.contains("-boot")))
                .filteredOn(line -> line.contains(".version>"))
                .hasSize(2)
                .allSatisfy(line -> assertThat(build).contains(line));
    }

    @ParameterizedTest
    @MethodSource("quickStarts")
    void printsWhatItsPageSays(QuickStart quickStart, @TempDir Path directory) throws Exception {
        // given
        assertThat(quickStart.printed()).isNotEmpty();
        List<Snippet> sources = quickStart.snippets("java").toList();
        assertThat(JavaSnippets.problems(sources, quickStart.classPath(), directory))
                .isEmpty();
        writeResource(quickStart, "yaml", directory.resolve("application.yaml"));
        writeResource(quickStart, "sql", directory.resolve("schema.sql"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        String classPath = directory + File.pathSeparator + quickStart.classPath();
        List<String> command = List.of(java, "-XX:TieredStopAtLevel=1", "-cp", classPath, mainClass(sources));

        // when
        Process process = start(directory, command, broker(quickStart));

        // then
        try {
            await().atMost(TIMEOUT)
                    .failFast(() -> {
                        if (!process.isAlive()) {
                            assertHasPrinted(quickStart, directory);
                        }
                    })
                    .untilAsserted(() -> assertHasPrinted(quickStart, directory));
            assertThat(output(directory)).doesNotContain(" WARN ", " ERROR ");
            assertThat(process.isAlive() || process.exitValue() == 0).isTrue();
        } finally {
            stop(process);
        }
    }

    /** Returns what a reader sets to where his broker is. It has nothing of an earlier quick start. */
    private static List<String> broker(QuickStart quickStart) throws Exception {
        if (quickStart.name().startsWith("kafka")) {
            String servers = KafkaServer.shared().bootstrapServers();
            deleteTopics(servers);
            return List.of("--spring.kafka.bootstrap-servers=" + servers);
        }
        if (quickStart.name().startsWith("rabbitmq")) {
            String uri = RabbitServer.shared().uri();
            deleteQueue(uri);
            return List.of("--spring.rabbitmq.addresses=" + uri);
        }
        return List.of();
    }

    private static void deleteTopics(String servers) throws Exception {
        try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers))) {
            Set<String> topics = admin.listTopics().names().get();
            topics.retainAll(Set.of("orders"));
            admin.deleteTopics(topics).all().get();
        }
    }

    private static void deleteQueue(String uri) throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(uri);
        try (Connection connection = factory.newConnection();
                Channel channel = connection.createChannel()) {
            channel.queueDelete("warehouse");
        }
    }

    private static Process start(Path directory, List<String> command, List<String> arguments) throws IOException {
        List<String> line = new ArrayList<>(command);
        line.addAll(arguments);
        return new ProcessBuilder(line)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(OUTPUT).toFile())
                .start();
    }

    /** Lets it say goodbye to its broker, which would take it for alive otherwise. */
    private static void stop(Process process) throws InterruptedException {
        process.destroy();
        if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly().waitFor();
        }
    }

    private static String output(Path directory) throws IOException {
        return Files.readString(directory.resolve(OUTPUT));
    }

    private static void assertHasPrinted(QuickStart quickStart, Path directory) throws IOException {
        assertThat(output(directory).lines()).containsAll(quickStart.printed());
    }

    private static void writeResource(QuickStart quickStart, String language, Path file) throws IOException {
        String text = quickStart.snippets(language).map(Snippet::text).collect(Collectors.joining());
        if (!text.isEmpty()) {
            Files.writeString(file, text);
        }
    }

    private static String mainClass(List<Snippet> sources) {
        Snippet main = sources.stream()
                .filter(source -> source.text().contains("public static void main("))
                .findFirst()
                .orElseThrow();
        String firstLine = main.text().lines().findFirst().orElseThrow();
        String prefix = firstLine.startsWith("package ")
                ? firstLine.substring("package ".length()).replace(';', '.')
                : "";
        return prefix + JavaSnippets.typeName(main);
    }
}
