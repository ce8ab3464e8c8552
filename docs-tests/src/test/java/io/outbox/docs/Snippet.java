package io.outbox.docs;

import java.util.List;

/**
 * The text between two fences of a page, as it is printed there.
 *
 * <p>The first word after the opening fence is the language. Further words, which no reader sees, are the names of the
 * {@linkplain QuickStart quick starts} that the snippet is part of, or of the database that it is for.
 *
 * @param line where the text begins in its page
 * @param heading the one above it
 */
record Snippet(String page, int line, String heading, String language, List<String> words, String text) {

    static Snippet of(String page, int line, String heading, String info, String text) {
        List<String> words = List.of(info.strip().split(" +"));
        return new Snippet(page, line, heading, words.get(0), words.subList(1, words.size()), text);
    }

    boolean isPartOf(String quickStart) {
        return words.stream().anyMatch(word -> QuickStart.isNamedBy(word, quickStart));
    }

    boolean isPartOfAQuickStart() {
        return words.stream().anyMatch(QuickStart::isNamedBy);
    }

    @Override
    public String toString() {
        return page + ":" + line + " " + language;
    }
}
