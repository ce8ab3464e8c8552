package io.outbox.spring.boot.internal.settings;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** The name that was probably meant by one that nobody knows. */
final class SimilarNames {

    /** How many letters may be wrong in a name. */
    private static final int MOST_MISTAKES = 3;

    private SimilarNames() {}

    /** Returns the nearest of the known names as a question to add to a message; empty text if none is near. */
    static String question(String unknown, Collection<String> known) {
        return nearest(unknown, known)
                .map(name -> "; did you mean " + name + "?")
                .orElse("");
    }

    private static Optional<String> nearest(String unknown, Collection<String> known) {
        return known.stream()
                .filter(name -> distance(unknown, name) <= MOST_MISTAKES)
                .min(Comparator.comparingInt((String name) -> distance(unknown, name))
                        .thenComparing(name -> name));
    }

    /** Returns how many letters have to be inserted, left out or replaced to make one text of the other. */
    private static int distance(String one, String other) {
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int replaced = diagonal + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[other.length()];
    }
}
