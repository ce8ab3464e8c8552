package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results of a run, as tables that can be pasted into a page. */
final class Report {

    private final List<String> lines = new ArrayList<>();

    /** Begins a table with a first column of names. */
    void table(String title, String... columns) {
        if (!lines.isEmpty()) {
            lines.add("");
        }
        lines.add("**" + title + "**");
        lines.add("");
        lines.add("| | " + String.join(" | ", columns) + " |");
        lines.add("|---|" + "---:|".repeat(columns.length));
    }

    void row(String name, String... cells) {
        lines.add("| " + name + " | " + String.join(" | ", cells) + " |");
    }

    /** Adds a paragraph. */
    void text(String text) {
        lines.add("");
        lines.add(text);
    }

    /** Returns the median, and the least and the largest value. */
    static String spread(Series series) {
        return String.format(Locale.ROOT, "%,.0f (%,.0f–%,.0f)", series.median(), series.min(), series.max());
    }

    static String median(Series series, String format) {
        double median = series.median();
        return Double.isNaN(median) ? "–" : String.format(Locale.ROOT, format, median);
    }

    static String ratio(Series part, Series whole) {
        return String.format(Locale.ROOT, "%.0f %%", 100 * part.median() / whole.median());
    }

    void print() {
        System.out.println();
        lines.forEach(System.out::println);
    }
}
