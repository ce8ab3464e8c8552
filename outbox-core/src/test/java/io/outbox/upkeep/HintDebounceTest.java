package io.outbox.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import org.junit.jupiter.api.Test;

class HintDebounceTest {

    private final Queue<Runnable> later = new ArrayDeque<>();
    private final List<Set<String>> sent = new ArrayList<>();
    private final HintDebounce debounce = new HintDebounce((nanos, task) -> later.add(task), sent::add);

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
    void afterAPauseWithoutHintsTheNextGoesOutAtOnce() {
        debounce.signal(Set.of("A"));
        pauseIsOver();
        assertThat(later).isEmpty();

        debounce.signal(Set.of("B"));

        assertThat(sent).containsExactly(Set.of("A"), Set.of("B"));
    }
}
