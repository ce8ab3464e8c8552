package io.outbox.spring.boot.test.boot4;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.junit.platform.launcher.listeners.TestExecutionSummary.Failure;

/** The tests that the documentation shows, compiled from the page and run. */
class DocumentedTestsTest {

    private static final Path PAGE = Path.of("../docs/testing.md");
    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\n(.*?)^```$");
    private static final Pattern TYPE = Pattern.compile("(?m)^(?:class|record|interface) (\\w+)");

    @TempDir
    private Path classes;

    @Test
    void pass() throws Exception {
        List<Source> sources = JAVA.matcher(Files.readString(PAGE))
                .results()
                .map((MatchResult snippet) -> new Source(snippet.group(1)))
                .toList();
        compile(sources);

        TestExecutionSummary summary = run(sources.stream()
                .filter(source -> source.text.startsWith("package shop;")) // others are for authors of engines
                .map(source -> source.type)
                .filter(type -> type.endsWith("Test"))
                .toList());

        assertThat(summary.getFailures()).extracting(Failure::getException).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isEqualTo(10);
    }

    private void compile(List<Source> sources) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        ToolProvider.getSystemJavaCompiler()
                .getTask(
                        null,
                        null,
                        diagnostics,
                        List.of(
                                "-d",
                                classes.toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                "-proc:none",
                                "-parameters",
                                "-Xlint:all,-processing,-classfile",
                                "-Werror"),
                        null,
                        sources)
                .call();
        assertThat(diagnostics.getDiagnostics()).isEmpty();
    }

    private TestExecutionSummary run(List<String> types) throws Exception {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {classes.toUri().toURL()}, before)) {
            thread.setContextClassLoader(loader);
            LauncherDiscoveryRequestBuilder request = LauncherDiscoveryRequestBuilder.request();
            for (String type : types) {
                request.selectors(DiscoverySelectors.selectClass(loader.loadClass("shop." + type)));
            }
            LauncherConfig quiet = LauncherConfig.builder()
                    .enableTestExecutionListenerAutoRegistration(false)
                    .enableLauncherSessionListenerAutoRegistration(false)
                    .build();
            LauncherFactory.create(quiet).execute(request.build(), listener);
        } finally {
            thread.setContextClassLoader(before);
        }
        return listener.getSummary();
    }

    /** A snippet as a file of its own. */
    private static final class Source extends SimpleJavaFileObject {

        private final String type;
        private final String text;

        Source(String text) {
            super(URI.create("string:///" + typeOf(text) + ".java"), Kind.SOURCE);
            this.type = typeOf(text);
            this.text = text;
        }

        private static String typeOf(String text) {
            Matcher type = TYPE.matcher(text);
            assertThat(type.find()).as("a type in %s", text).isTrue();
            return type.group(1);
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
