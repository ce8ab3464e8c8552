package io.outbox.docs;

import com.sun.source.util.JavacTask;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/**
 * Compiles the Java snippets of a page, all at once and with warnings as errors.
 *
 * <p>A snippet that begins with its package or imports is a file. Any other is a fragment, of members or else of
 * statements, and becomes the body of a class: its imports, and what it extends, are those of
 * {@code context/<page>.java}, which holds what the page takes for granted.
 */
final class JavaSnippets {

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
    private static final Pattern TYPE =
            Pattern.compile("(?m)^(?:(?:public|final|abstract) )*(?:class|record|interface|enum|@interface) (\\w+)");
    private static final Pattern PUBLIC_TYPE = Pattern.compile("(?m)^public .*?(?:class|record|interface|enum) (\\w+)");

    private JavaSnippets() {}

    /** Compiles, and returns what the compiler says about each snippet; about most of them nothing. */
    static Map<Snippet, List<String>> problems(Page page, Path output) {
        List<Source> sources = new ArrayList<>();
        List<Snippet> snippets = page.snippets().stream()
                .filter(snippet -> snippet.language().equals("java") && !snippet.isPartOfAQuickStart())
                .toList();
        if (snippets.stream().anyMatch(snippet -> !isFile(snippet))) {
            sources.add(new Source(null, "Context", "", context(page), 0));
        }
        snippets.forEach(snippet -> sources.add(source(page, snippet)));
        List<String> options = List.of(
                "-d",
                output.toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-proc:none",
                "-parameters",
                "-Xlint:all,-processing,-classfile",
                "-Werror");
        Map<Snippet, List<String>> problems = compile(sources, options);
        return snippets.stream()
                .collect(Collectors.toMap(snippet -> snippet, snippet -> problems.getOrDefault(snippet, List.of())));
    }

    /** Compiles files as a project does that has nothing but the class path given. */
    static Map<Snippet, List<String>> problems(List<Snippet> files, String classPath, Path output) {
        return compile(
                files.stream().map(JavaSnippets::file).toList(),
                List.of("-d", output.toString(), "-cp", classPath, "-proc:none", "-Xlint:all,-classfile", "-Werror"));
    }

    private static Map<Snippet, List<String>> compile(List<Source> sources, List<String> options) {
        if (sources.isEmpty()) {
            return Map.of();
        }
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        boolean compiled = COMPILER.getTask(null, null, diagnostics, options, null, sources)
                .call();
        Map<Snippet, List<String>> problems = diagnostics.getDiagnostics().stream()
                .filter(diagnostic -> diagnostic.getSource() instanceof Source source && source.snippet != null)
                .collect(Collectors.groupingBy(
                        diagnostic -> ((Source) diagnostic.getSource()).snippet,
                        Collectors.mapping(JavaSnippets::message, Collectors.toList())));
        if (!compiled && problems.isEmpty()) {
            throw new IllegalStateException("Cannot compile for another reason: " + diagnostics.getDiagnostics());
        }
        return problems;
    }

    private static String message(Diagnostic<? extends JavaFileObject> diagnostic) {
        Source source = (Source) diagnostic.getSource();
        return source.snippet.page() + ":"
                + (diagnostic.getLineNumber() - source.linesBefore + source.snippet.line() - 1) + " "
                + diagnostic.getMessage(null);
    }

    private static boolean isFile(Snippet snippet) {
        return snippet.text().startsWith("package ") || snippet.text().startsWith("import ");
    }

    private static Source source(Page page, Snippet snippet) {
        return isFile(snippet) ? file(snippet) : fragment(page, snippet);
    }

    private static Source file(Snippet snippet) {
        return new Source(snippet, typeName(snippet), "", snippet.text(), 0);
    }

    /** The type that names the file. */
    static String typeName(Snippet snippet) {
        Matcher type = PUBLIC_TYPE.matcher(snippet.text());
        if (!type.find()) {
            type = TYPE.matcher(snippet.text());
            if (!type.find()) {
                throw new IllegalArgumentException(snippet + " declares no type");
            }
        }
        return type.group(1);
    }

    private static Source fragment(Page page, Snippet snippet) {
        String name = "Snippet" + snippet.line();
        String imports = context(page)
                .lines()
                .filter(line -> line.startsWith("import "))
                .collect(Collectors.joining("\n", "", "\n"));
        String before = imports + "class " + name + " extends Context {\n";
        Source members = new Source(snippet, name, before, snippet.text() + "}\n", linesOf(before));
        if (isWellFormed(members)) {
            return members;
        }
        before += "void snippet() throws Exception {\n";
        return new Source(snippet, name, before, snippet.text() + "}}\n", linesOf(before));
    }

    private static int linesOf(String text) {
        return (int) text.lines().count();
    }

    private static boolean isWellFormed(Source source) {
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try {
            ((JavacTask) COMPILER.getTask(null, null, diagnostics, null, null, List.of(source))).parse();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot parse " + source.snippet, e);
        }
        return diagnostics.getDiagnostics().isEmpty();
    }

    private static String context(Page page) {
        String name = "/context/" + page.name() + ".java";
        try (InputStream context = JavaSnippets.class.getResourceAsStream(name)) {
            if (context == null) {
                throw new IllegalStateException(page + " has fragments of Java, which need src/test/resources" + name
                        + ": imports, and an abstract class Context with what the page takes for granted");
            }
            return new String(context.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + name, e);
        }
    }

    /** What the compiler gets for a snippet; the context of a page belongs to none. */
    private static final class Source extends SimpleJavaFileObject {

        private final Snippet snippet;
        private final String text;
        private final int linesBefore;

        Source(Snippet snippet, String type, String before, String text, int linesBefore) {
            super(URI.create("string:///" + type + ".java"), Kind.SOURCE);
            this.snippet = snippet;
            this.text = before + text;
            this.linesBefore = linesBefore;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
