package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.List;

/** The results of a run, in lines for a reader. */
final class Report {

    private final List<String> lines = new ArrayList<>();

    /** Begins a table. */
    void title(String format, Object... args) {
        if (!lines.isEmpty()) {
            lines.add("");
        }
        line(format, args);
    }

    void line(String format, Object... args) {
        lines.add(String.format(format, args));
    }

    void row(String name, Series series, String unit, String note) {
        line("  %-46s %,9.0f %-9s [%,.0f … %,.0f]  %s", name, series.median(), unit, series.min(), series.max(), note);
    }

    static String ratio(Series part, Series whole) {
        return String.format("%.0f %%", 100 * part.median() / whole.median());
    }

    void print() {
        System.out.println();
        lines.forEach(System.out::println);
    }
}
