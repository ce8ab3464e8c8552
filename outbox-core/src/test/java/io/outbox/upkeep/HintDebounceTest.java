package io.outbox.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HintDebounceTest {

    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<Set<String>> sent = new ArrayList<>();
    private final List<Long> pausesMs = new ArrayList<>();
    private final HintDebounce debounce = new HintDebounce(this::later, sent::add);

    private void later(long nanos, Runnable task) {
        pausesMs.add(TimeUnit.NANOSECONDS.toMillis(nanos));
        later.add(task);
    }

    private void pauseIsOver() {
        later.remove().run();
    }

    @Test
    void theFirstHintGoesOutAtOnceAndThoseOfThePauseTogether() {
        debounce.signal(Set.of("A"));
        assertThat(sent).containsExactly(Set.of("A"));

        debounce.signal(Set.of("B"));
        debounce.signal(Set.of("C", "B"));
        assertThat(sent).hasSize(1);

        pauseIsOver();
        assertThat(sent).containsExactly(Set.of("A"), Set.of("B", "C"));
    }

    @Test
    void anyTypeOutweighsTheOthers() {
        debounce.signal(Set.of("A"));
        debounce.signal(Set.of("B"));
        debounce.signal(Set.of());

        pauseIsOver();

        assertThat(sent).containsExactly(Set.of("A"), Set.of());
    }

    @Test
    void pausesGrowWhileHintsKeepComingAndShrinkAgain() {
        signals(1);
        for (int gathered : new int[] {4, 5, 10, 20, 40, 80, 100, 99, 49, 24, 11, 5, 1}) {
            signals(gathered);
            pauseIsOver();
        }

        assertThat(pausesMs).containsExactly(5L, 5L, 10L, 20L, 40L, 80L, 100L, 100L, 50L, 25L, 12L, 6L, 5L, 5L);
    }

    @Test
    void aBurstThatEndsLeavesNothingBehind() {
        signals(1);
        for (int pause = 0; pause < 6; pause++) {
            signals(500);
            pauseIsOver();
        }
        pauseIsOver();
        assertThat(later).isEmpty();
        pausesMs.clear();
        sent.clear();

        debounce.signal(Set.of("B"));

        assertThat(sent).containsExactly(Set.of("B"));
        assertThat(pausesMs).containsExactly(5L);
    }

    @Test
    void aTimerThatFailsEndsThePauseAndNotTheHints() {
        HintDebounce failing = new HintDebounce(
                (nanos, task) -> {
                    if (sent.size() % 2 == 0) {
                        throw new IllegalStateException("no thread");
                    }
                    later.add(task);
                },
                sent::add);

        failing.signal(Set.of("A"));
        failing.signal(Set.of("B"));
        failing.signal(Set.of("C"));
        pauseIsOver();
        failing.signal(Set.of("D"));

        assertThat(sent).containsExactly(Set.of("A"), Set.of("B"), Set.of("C"), Set.of("D"));
    }

    private void signals(int count) {
        for (int i = 0; i < count; i++) {
            debounce.signal(Set.of("A"));
        }
    }

    @Test
    void afterAPauseWithoutHintsTheNextGoesOutAtOnce() {
        debounce.signal(Set.of("A"));
        pauseIsOver();
        assertThat(later).isEmpty();

        debounce.signal(Set.of("B"));

        assertThat(sent).containsExactly(Set.of("A"), Set.of("B"));
    }
}
