package io.outbox.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A page of the documentation, with the snippets between its fences. */
record Page(Path file, String text, List<Snippet> snippets) {

    /** The directory of the project. */
    static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    private static final Pattern FENCE = Pattern.compile("(?<indent> *)```(?<info>.*)");

    /** Returns all pages: README.md, CONTRIBUTING.md, and what is below docs. */
    static List<Page> all() {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
            return Stream.concat(
                            Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                            docs.filter(file -> file.toString().endsWith(".md")).sorted())
                    .map(Page::read)
                    .toList();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot list the pages below docs", e);
        }
    }

    private static Page read(Path file) {
        try {
            return of(file, Files.readString(file));
        } catch (IOException e) {
            throw new IllegalStateException("Cannot read " + file, e);
        }
    }

    static Page of(Path file, String text) {
        return new Page(
                file,
                text,
                snippets(ROOT.relativize(file).toString(), text.lines().toList()));
    }

    private static List<Snippet> snippets(String page, List<String> lines) {
        List<Snippet> snippets = new ArrayList<>();
        String heading = "";
        for (int i = 0; i < lines.size(); i++) {
            Matcher fence = FENCE.matcher(lines.get(i));
            if (fence.matches()) {
                int first = i + 1;
                int indent = fence.group("indent").length();
                StringBuilder body = new StringBuilder();
                for (i = first; !lines.get(i).strip().equals("```"); i++) {
                    body.append(unindented(lines.get(i), indent)).append('\n');
                    if (i + 1 == lines.size()) {
                        throw new IllegalArgumentException(page + ":" + first + " has no end");
                    }
                }
                snippets.add(Snippet.of(page, first + 1, heading, fence.group("info"), body.toString()));
            } else if (lines.get(i).startsWith("#")) {
                heading = lines.get(i);
            }
        }
        return List.copyOf(snippets);
    }

    private static String unindented(String line, int indent) {
        return line.isBlank() ? "" : line.substring(indent);
    }

    /** Its name without directory and ending, such as {@code spring}. */
    String name() {
        return file.getFileName().toString().replace(".md", "");
    }

    @Override
    public String toString() {
        return ROOT.relativize(file).toString();
    }
}
