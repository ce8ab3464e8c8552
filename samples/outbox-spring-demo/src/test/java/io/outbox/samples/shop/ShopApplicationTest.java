package io.outbox.samples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs the lines of the README and compares what they print with what it shows. */
class ShopApplicationTest {

    private static final Pattern LINES =
            Pattern.compile("```sh\n(?<line>curl .*)\n```\n\n```\\w*\n(?<printed>.*)\n```");

    private record Example(String line, Pattern printed) {}

    private static List<Example> examples() throws IOException {
        List<Example> examples = new ArrayList<>();
        Matcher matcher = LINES.matcher(Files.readString(Path.of("README.md")));
        while (matcher.find()) {
            String[] literals = matcher.group("printed").split("…", -1);
            List<String> quoted = new ArrayList<>();
            for (String literal : literals) {
                quoted.add(Pattern.quote(literal));
            }
            examples.add(new Example(matcher.group("line"), Pattern.compile(String.join(".*", quoted))));
        }
        return examples;
    }

    private static String run(String line, int port, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder shell = new ProcessBuilder("sh", "-c", line.replace("localhost:8080", "127.0.0.1:" + port));
        shell.environment().putAll(environment);
        Process process = shell.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.strip();
    }

    private static ConfigurableApplicationContext start(String profile) {
        SpringApplicationBuilder shop = new SpringApplicationBuilder(ShopApplication.class);
        if (profile.equals("h2")) {
            return shop.run("--server.port=0", "--server.address=127.0.0.1");
        }
        PostgresServer server = PostgresServer.shared();
        return shop.profiles(profile)
                .run(
                        "--server.port=0",
                        "--server.address=127.0.0.1",
                        "--SHOP_DATABASE_URL=" + server.newDatabase(),
                        "--SHOP_DATABASE_USER=" + server.user(),
                        "--SHOP_DATABASE_PASSWORD=" + server.password());
    }

    /** With PostgreSQL, what the database says about itself is one of the details. */
    private static final String HEALTHY =
            "\"outbox\":\\{\"details\":\\{\"outbox\":\\{[^{}]*(\"database\":\\{[^{}]*}[^{}]*)?}},\"status\":\"UP\"";

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgres"})
    void printsWhatTheReadmeShows(String profile) throws Exception {
        List<Example> examples = examples();
        assertThat(examples).hasSize(3);
        try (ConfigurableApplicationContext shop = start(profile)) {
            int port = Integer.parseInt(shop.getEnvironment().getProperty("local.server.port"));
            String placed = run(examples.get(0).line(), port, Map.of());
            assertThat(placed).matches(examples.get(0).printed());
            String id = placed.replaceAll(".*\"id\":\"([^\"]+)\".*", "$1");
            for (Example example : examples.subList(1, 3)) {
                await().untilAsserted(() ->
                        assertThat(run(example.line(), port, Map.of("ID", id))).matches(example.printed()));
            }
            assertThat(run("curl -s localhost:8080/actuator/health", port, Map.of()))
                    .containsPattern(HEALTHY);
            assertThat(run("curl -s -X POST localhost:8080/actuator/outbox/pause", port, Map.of()))
                    .contains("\"state\":\"PAUSED\"");
            assertThat(run("curl -s localhost:8080/actuator/health", port, Map.of()))
                    .containsPattern(HEALTHY)
                    .contains("\"paused\"");
            assertThat(run("curl -s -X POST localhost:8080/actuator/outbox/resume/outbox", port, Map.of()))
                    .contains("\"state\":\"RUNNING\"");
            assertThat(run("curl -s localhost:8080/actuator/outbox", port, Map.of()))
                    .contains("\"pending\":0");
        }
    }
}
