package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Results of repeated rounds. */
final class Series {

    private final List<Double> values = new ArrayList<>();

    void add(double value) {
        values.add(value);
    }

    double median() {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double min() {
        return Collections.min(values);
    }

    double max() {
        return Collections.max(values);
    }
}
