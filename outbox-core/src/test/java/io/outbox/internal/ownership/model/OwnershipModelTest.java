package io.outbox.internal.ownership.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.ownership.model.OwnershipModel.Mode;
import io.outbox.internal.ownership.model.OwnershipModel.Setup;
import io.outbox.internal.ownership.model.OwnershipModel.Trouble;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The ownership protocol, with and without order by key, holds in every interleaving of a small system; and none of its
 * rules can be left out, which a counterexample shows.
 */
class OwnershipModelTest {

    private static final int MOST_STATES = 2_000_000;
    private static final List<Integer> ONE_KEY = List.of(0, 0, 0);
    private static final List<Integer> TWO_KEYS = List.of(0, 0, 1);
    private static final List<Integer> PAIR = List.of(0, 0);
    private static final List<Integer> SINGLES = List.of(0, 1);

    /** The smaller ones first, which make the shorter counterexamples. */
    private static final List<Named> SETUPS = List.of(
            new Named("keyed, alone", Mode.KEYED_ALONE, 1, ONE_KEY, new Trouble(2, 1, 0, 0), Calm.NO_SWEEP),
            new Named("keyed, calm, 3 nodes", Mode.KEYED, 3, PAIR, new Trouble(1, 0, 0, 0), Calm.NO_SWEEP),
            new Named("keyed, calm, 1 key", Mode.KEYED, 2, ONE_KEY, new Trouble(1, 0, 0, 0), Calm.NO_SWEEP),
            new Named("keyed, calm, 2 keys", Mode.KEYED, 2, TWO_KEYS, new Trouble(1, 0, 0, 0), Calm.NO_SWEEP),
            new Named(
                    "keyed, lost answers, no lease ends",
                    Mode.KEYED,
                    2,
                    PAIR,
                    new Trouble(1, 0, 0, 1),
                    Calm.NO_LEASE_ENDS),
            new Named("keyed, replay", new Setup(Mode.KEYED, 2, PAIR, new Trouble(1, 0, 0, 0), true, false, true)),
            new Named("keyed, deaths", Mode.KEYED, 2, ONE_KEY, new Trouble(1, 0, 1, 0), Calm.NO),
            new Named("un-keyed, 2 events", Mode.UNKEYED, 2, SINGLES, new Trouble(1, 1, 0, 0), Calm.NO),
            new Named("un-keyed, all troubles", Mode.UNKEYED, 2, List.of(0), new Trouble(1, 1, 1, 2), Calm.NO),
            new Named("keyed, freezes", Mode.KEYED, 2, ONE_KEY, new Trouble(1, 1, 0, 0), Calm.NO),
            new Named("keyed, 3 nodes", Mode.KEYED, 3, PAIR, new Trouble(1, 1, 0, 0), Calm.NO),
            new Named("un-keyed, 3 nodes", Mode.UNKEYED, 3, List.of(0), new Trouble(1, 1, 1, 1), Calm.NO),
            new Named("keyed, all troubles", Mode.KEYED, 2, PAIR, new Trouble(1, 1, 1, 1), Calm.NO));

    /** What has to do without help. */
    private enum Calm {
        /** Nodes look at keys only when they have a reason to. */
        NO_SWEEP,
        /** The clock stands still, so nothing may wait for the end of a lease. */
        NO_LEASE_ENDS,
        NO
    }

    private record Named(String name, Setup setup) {

        Named(String name, Mode mode, int nodes, List<Integer> keyOf, Trouble trouble, Calm calm) {
            this(name, new Setup(mode, nodes, keyOf, trouble, calm != Calm.NO_SWEEP, calm == Calm.NO, false));
        }
    }

    @TestFactory
    Stream<DynamicTest> holdsInEveryInterleaving() {
        return SETUPS.stream()
                .map(named -> DynamicTest.dynamicTest(named.name, () -> {
                    Search.Result result = search(named.setup, null);

                    System.out.println(named.name + ": " + result.states() + " states");
                    assertThat(result.counterexample()).isEmpty();
                }));
    }

    @TestFactory
    Stream<DynamicTest> noRuleCanBeLeftOut() {
        return Arrays.stream(Rule.values())
                .map(rule -> DynamicTest.dynamicTest(rule.toString(), () -> {
                    Optional<String> counterexample = SETUPS.stream()
                            .flatMap(named -> search(named.setup, rule).counterexample().stream()
                                    .map(steps -> named.name + ":\n  " + String.join("\n  ", steps)))
                            .findFirst();

                    assertThat(counterexample).isPresent();
                    System.out.println("Without \"" + rule + "\", " + counterexample.get());
                }));
    }

    private static Search.Result search(Setup setup, Rule without) {
        return new Search<>(new OwnershipModel(setup, without), MOST_STATES).from(setup.start());
    }
}
