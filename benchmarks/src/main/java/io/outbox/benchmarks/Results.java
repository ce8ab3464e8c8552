package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** The results of one candidate in all rounds. */
final class Results<R> {

    private final List<R> all = new ArrayList<>();

    void add(R result) {
        all.add(result);
    }

    /** Returns one of the figures of each result. */
    Series of(ToDoubleFunction<R> figure) {
        Series series = new Series();
        all.forEach(result -> series.add(figure.applyAsDouble(result)));
        return series;
    }
}
