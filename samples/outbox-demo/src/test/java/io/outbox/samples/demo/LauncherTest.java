package io.outbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./outbox demo}, with a Maven that builds nothing and a Java that prints its arguments. */
class LauncherTest {

    private static final Path LAUNCHER =
            Path.of("../../outbox").toAbsolutePath().normalize();

    @TempDir
    private Path directory;

    @BeforeEach
    void installTools() throws IOException {
        program("bin/mvn", "echo 'Apache Maven 3.9.0'");
        program("jdk/bin/java", "echo '    java.specification.version = 17'", "echo \"started with: ${*: -2}\"");
        program("jdk/bin/javac", "true");
    }

    @Test
    void staysOpenOnATerminal() throws Exception {
        assertThat(onATerminal("demo")).contains("started with: ").doesNotContain("--once");
    }

    @Test
    void endsByItselfIfAsked() throws Exception {
        assertThat(onATerminal("demo --once")).contains("started with: io.outbox.samples.demo.Demo --once");
        assertThat(onATerminal("demo demo --once")).contains("started with: io.outbox.samples.demo.Demo --once");
    }

    @Test
    void endsByItselfWithoutATerminal() throws Exception {
        assertThat(run(LAUNCHER.toString(), "demo")).contains("started with: io.outbox.samples.demo.Demo --once");
        assertThat(run(LAUNCHER.toString(), "demo", "--once"))
                .contains("started with: io.outbox.samples.demo.Demo --once");
    }

    private void program(String name, String... lines) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/usr/bin/env bash\n" + String.join("\n", lines) + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private String onATerminal(String arguments) throws Exception {
        return run("script", "-qec", LAUNCHER + " " + arguments, "/dev/null");
    }

    private String run(String... command) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of(command))
                .redirectErrorStream(true)
                .redirectInput(Redirect.from(Path.of("/dev/null").toFile()));
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        builder.environment()
                .put(
                        "PATH",
                        directory.resolve("bin") + ":" + builder.environment().get("PATH"));
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
