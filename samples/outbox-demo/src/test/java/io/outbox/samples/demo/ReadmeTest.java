package io.outbox.samples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the README true: its example compiles and runs, its links lead somewhere, its defaults are the real ones. */
class ReadmeTest {

    private static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();
    private static final Path README = ROOT.resolve("README.md");

    /** What a reader would put around the example: imports, a data source, an end. */
    private static final String RUNNABLE = """
            import io.outbox.*;
            import io.outbox.jdbc.JdbcOutbox;
            import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
            import io.outbox.registry.DefaultListenerRegistry;
            public class Example {
                public static void run(javax.sql.DataSource dataSource) throws Exception {
            %s
                    outbox.close();
                }
            }
            """;

    private static final String INFORMED = """
            import io.outbox.*;
            import io.outbox.dispatch.RetryPolicy;
            import io.outbox.registry.DefaultListenerRegistry;
            import io.outbox.spi.*;
            import java.net.SocketTimeoutException;
            import java.time.Duration;
            class Example {
                interface Mail { void send(String order, int attempt); }
                interface Alerts { void raise(String eventId, String reason); }
                Outbox example(OutboxBackend backend, Mail mail, Alerts alerts, ContextPropagator requestIdInLog) {
            %s
                    return outbox;
                }
            }
            """;

    @Test
    void startExampleHasAtMostTenLinesAndDelivers(@TempDir Path directory) throws Exception {
        // given
        String example = javaBlockAfter("## Start");
        assertThat(example.lines()).hasSizeLessThanOrEqualTo(10);
        compile(directory, RUNNABLE.formatted(example));

        // when
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {directory.toUri().toURL()})) {
            run(loader.loadClass("Example"), output);
        }

        // then
        assertThat(output.toString(StandardCharsets.UTF_8).strip()).isEqualTo("delivered {\"order\":42}");
    }

    private static String javaBlockAfter(String heading) throws IOException {
        String text = Files.readString(README);
        int start = text.indexOf("```java\n", text.indexOf(heading)) + "```java\n".length();
        return text.substring(start, text.indexOf("```", start));
    }

    @Test
    void exampleOfWhatAnApplicationCanKnowCompiles(@TempDir Path directory) throws Exception {
        compile(directory, INFORMED.formatted(javaBlockAfter("## What an application can know")));
    }

    private static void compile(Path directory, String text) throws IOException {
        Path source = directory.resolve("Example.java");
        Files.writeString(source, text);
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        int result = compiler.run(
                null,
                messages,
                messages,
                "-cp",
                System.getProperty("java.class.path"),
                "-d",
                directory.toString(),
                source.toString());
        assertThat(result).as(() -> messages.toString(StandardCharsets.UTF_8)).isZero();
    }

    private static void run(Class<?> example, ByteArrayOutputStream output)
            throws NoSuchMethodException, IllegalAccessException, InvocationTargetException {
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL("jdbc:h2:mem:readme;DB_CLOSE_DELAY=-1");
        PrintStream standardOut = System.out;
        System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
        try {
            example.getMethod("run", DataSource.class).invoke(null, dataSource);
        } finally {
            System.setOut(standardOut);
        }
    }

    @Test
    void settingsHaveTheirRealDefaults() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher row = Pattern.compile("(?m)^\\| `(\\w+)` \\| ([^|]+) \\|").matcher(Files.readString(README));
        while (row.find()) {
            documented.put(row.group(1), row.group(2).strip());
        }
        assertThat(documented)
                .containsEntry("workerCount", text(OutboxDispatcher.DEFAULT_WORKER_COUNT))
                .containsEntry("maxAttempts", text(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS))
                .containsEntry("hotQueueCapacity", text(OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY))
                .containsEntry("coldQueueCapacity", text(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY))
                .containsEntry("drainTimeoutMs", text(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS))
                .containsEntry("intervalMs", text(OutboxPoller.DEFAULT_INTERVAL_MS))
                .containsEntry("batchSize", text(OutboxPoller.DEFAULT_BATCH_SIZE))
                .containsEntry("skipRecent", OutboxPoller.DEFAULT_SKIP_RECENT.toSeconds() + " s")
                .containsEntry("purgeRetention", OutboxPurgeScheduler.DEFAULT_RETENTION.toDays() + " days")
                .containsEntry("purgeBatchSize", text(OutboxPurgeScheduler.DEFAULT_BATCH_SIZE))
                .containsEntry("purgeIntervalSeconds", text(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS))
                .containsEntry(
                        "retryPolicy",
                        "exponential, " + ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS + " ms to "
                                + ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS + " ms");
    }

    private static String text(long value) {
        return Long.toString(value);
    }

    @Test
    void linksInTheDocumentationLeadToFiles() throws IOException {
        List<Path> documents;
        try (var files = Files.walk(ROOT.resolve("docs"))) {
            documents = files.filter(file -> file.toString().endsWith(".md")).toList();
        }
        assertThat(documents).isNotEmpty();
        assertLinksLead(README);
        assertLinksLead(ROOT.resolve("CONTRIBUTING.md"));
        for (Path document : documents) {
            assertLinksLead(document);
        }
    }

    private static void assertLinksLead(Path document) throws IOException {
        Matcher link = Pattern.compile("\\]\\(([^)#]+)(#[^)]*)?\\)").matcher(Files.readString(document));
        while (link.find()) {
            if (!link.group(1).contains("://")) {
                assertThat(document.resolveSibling(link.group(1)))
                        .as("link in %s", document)
                        .exists();
            }
        }
    }
}
