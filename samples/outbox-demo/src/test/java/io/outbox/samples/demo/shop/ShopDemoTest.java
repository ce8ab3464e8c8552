package io.outbox.samples.demo.shop;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.samples.demo.Demo;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopDemoTest {

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern ADDRESS = Pattern.compile("Dashboard: (http://127\\.0\\.0\\.1:\\d+/outbox-admin/)");
    private static final Pattern FIGURES =
            Pattern.compile("written (\\d+), delivered (\\d+), failed attempts (\\d+), dead (\\d+), lag [\\d.]+ s");
    private static final Pattern LEFT =
            Pattern.compile("stopped; left in the tables: (\\d+) events to deliver, (\\d+) dead letters");

    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"INT", "TERM"})
    void servesADashboardUntilItIsStoppedAndLosesNothing(String signal) throws Exception {
        // given
        Process demo = start();
        try {
            // when
            String address = await(ADDRESS).group(1);
            awaitTrouble(address);
            String events = get(address + "api/events?limit=1");
            signal(demo, signal);
            boolean ended = demo.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);

            // then
            assertThat(ended).as("ended; output: %s", output()).isTrue();
            assertThat(demo.exitValue()).as("exit code; output: %s", output()).isZero();
            assertThat(events).contains("\"aggregateType\":\"Order\"");
            assertThatNothingIsLost();
            assertThat(output()).as("plain when piped").doesNotContain("\u001b", "\r");
            assertThat(output()).as("stack traces").doesNotContain("\tat ", "Exception");
        } finally {
            demo.destroyForcibly();
        }
    }

    @Test
    void takesAnotherPortWhereItsOwnIsTaken() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                OpenShop shop = OpenShop.open(taken.getLocalPort())) {
            assertThat(shop.address().getPort()).isPositive().isNotEqualTo(taken.getLocalPort());
        }
    }

    @Test
    void refusesArgumentsThatItDoesNotKnow() throws Exception {
        Process demo = start("--twice");

        assertThat(demo.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();

        assertThat(demo.exitValue()).isEqualTo(2);
        assertThat(output()).contains("unknown arguments [--twice]");
    }

    /**
     * Who runs the tests may ignore SIGINT, as what a shell starts in the background does; the demo is not to inherit
     * it.
     */
    private Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "env",
                "--default-signal=INT",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Demo.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output.txt").toFile())
                .start();
    }

    private static void signal(Process process, String signal) throws Exception {
        int status = new ProcessBuilder("kill", "-s", signal, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        assertThat(status).isZero();
    }

    private Matcher await(Pattern pattern) {
        return Awaitility.await()
                .atMost(PATIENCE)
                .until(
                        () -> pattern.matcher(output()),
                        matcher -> matcher.reset().find());
    }

    /** Waits until there is something to see of all kinds: deliveries, failures, and two groups of dead letters. */
    private static void awaitTrouble(String address) {
        Awaitility.await()
                .atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .untilAsserted(() -> {
                    assertThat(get(address + "api/overview")).containsPattern("\"DONE\":\\d{3,}");
                    assertThat(get(address + "api/groups").split("\"fingerprint\":"))
                            .hasSizeGreaterThan(2);
                });
    }

    private static String get(String address) throws IOException, InterruptedException {
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(address)).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(address).isEqualTo(200);
        return response.body();
    }

    private void assertThatNothingIsLost() throws IOException {
        String output = output();
        Matcher left = LEFT.matcher(output);
        assertThat(left.find()).as(output).isTrue();
        Matcher figures = FIGURES.matcher(output.substring(output.indexOf("stopping")));
        assertThat(figures.find()).as(output).isTrue();
        assertThat(number(figures, 1))
                .as("written: delivered, dead or left; output: %s", output)
                .isEqualTo(number(figures, 2) + number(left, 1) + number(left, 2));
        assertThat(number(figures, 3)).as("failed attempts").isPositive();
    }

    private static long number(Matcher matcher, int group) {
        return Long.parseLong(matcher.group(group));
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output.txt"));
    }
}
