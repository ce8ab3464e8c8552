package io.outbox.internal.ownership.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * An exhaustive search through all states that can be reached, in order of their distance: the first violation that it
 * meets is the end of one of the shortest ways to any.
 */
final class Search<S> {

    /** What can be reached from a state in one step, and whether a state is one that must not be. */
    interface Model<S> {

        List<Step<S>> next(S state);

        /** Says what is wrong with the state that a step leads to; {@code null} if nothing is. */
        String violation(S state);

        /** Says what is wrong with a state that nothing follows; {@code null} if it may be the end. */
        String wrongEnd(S state);
    }

    record Step<S>(String label, S to) {}

    private record Way<S>(S from, String label) {}

    /** @param counterexample the steps to a violation, and the violation; empty if there is none */
    record Result(int states, Optional<List<String>> counterexample) {}

    private final Model<S> model;
    private final int mostStates;
    private final Map<S, Way<S>> ways = new HashMap<>();

    Search(Model<S> model, int mostStates) {
        this.model = model;
        this.mostStates = mostStates;
    }

    Result from(S start) {
        ArrayDeque<S> open = new ArrayDeque<>();
        ways.put(start, new Way<>(null, "start"));
        open.add(start);
        for (S state; (state = open.poll()) != null; ) {
            List<Step<S>> steps = model.next(state);
            boolean isEnd = true;
            for (Step<S> step : steps) {
                if (step.to.equals(state)) {
                    continue;
                }
                isEnd = false;
                if (ways.putIfAbsent(step.to, new Way<>(state, step.label)) == null) {
                    String violation = model.violation(step.to);
                    if (violation != null) {
                        return new Result(ways.size(), Optional.of(wayTo(step.to, violation)));
                    }
                    open.add(step.to);
                }
            }
            String wrong = isEnd ? model.wrongEnd(state) : null;
            if (wrong != null) {
                return new Result(ways.size(), Optional.of(wayTo(state, wrong)));
            }
            if (ways.size() > mostStates) {
                throw new IllegalStateException(
                        "More than " + mostStates + " states: the model is not bounded as meant");
            }
        }
        return new Result(ways.size(), Optional.empty());
    }

    private List<String> wayTo(S state, String violation) {
        List<String> labels = new ArrayList<>();
        labels.add(violation);
        for (Way<S> way = ways.get(state); way.from != null; way = ways.get(way.from)) {
            labels.add(way.label);
        }
        Collections.reverse(labels);
        return labels;
    }
}
