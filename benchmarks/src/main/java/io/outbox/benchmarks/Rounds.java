package io.outbox.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Measures candidates in turns, so that a mood of the machine meets all of them. */
final class Rounds {

    private Rounds() {}

    /** Measures one candidate once. */
    @FunctionalInterface
    interface Measurement<C, R> {
        R measure(C candidate) throws Exception;
    }

    /** Measures each candidate as often as there are rounds; gives the results to the sink of its candidate. */
    static <C, R> Map<C, Results<R>> run(String title, List<C> candidates, int rounds, Measurement<C, R> measurement)
            throws Exception {
        Map<C, Results<R>> results = new LinkedHashMap<>();
        candidates.forEach(candidate -> results.put(candidate, new Results<>()));
        for (int round = 1; round <= rounds; round++) {
            System.out.printf("%s, round %d of %d …%n", title, round, rounds);
            for (C candidate : candidates) {
                R result = measurement.measure(candidate);
                System.out.printf("  %s: %s%n", candidate, result);
                results.get(candidate).add(result);
            }
        }
        return results;
    }
}
