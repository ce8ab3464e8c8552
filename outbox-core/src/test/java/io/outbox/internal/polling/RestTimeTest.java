package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.spi.EventTypes;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import io.outbox.upkeep.HintDebounce;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a node looks for what others write. */
@ExtendWith(NoLeftoverThreads.class)
class RestTimeTest {

    private static final Duration LONG = Duration.ofSeconds(30);
    private static final long AN_HOUR_MS = Duration.ofHours(1).toMillis();

    private final RestTime restTime = new RestTime(10);

    private List<Long> rests(int count, long intervalMs) {
        List<Long> rests = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rests.add(restTime.next(intervalMs));
        }
        return rests;
    }

    @Test
    void aFeedThatHasFoundNothingYetRestsForItsInterval() {
        assertThat(rests(2, 5_000)).containsExactly(5_000L, 5_000L);
    }

    @Test
    void whoeverFoundSomethingLooksAgainSoonAndThenLessAndLess() {
        restTime.found();

        assertThat(rests(6, 100)).containsExactly(10L, 20L, 40L, 80L, 100L, 100L);
    }

    @Test
    void anythingFoundBeginsAnew() {
        restTime.found();
        rests(3, 100);
        restTime.found();

        assertThat(rests(2, 100)).containsExactly(10L, 20L);
    }

    @Test
    void anIntervalThatIsShorterStays() {
        restTime.found();

        assertThat(rests(2, 5)).containsExactly(5L, 5L);
    }

    @Test
    void aPollerWithoutAShortestIntervalNeverLooksEarlier() {
        RestTime fixed = new RestTime(Long.MAX_VALUE);
        fixed.found();

        assertThat(fixed.next(5_000)).isEqualTo(5_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatOthersGoOnWritingIsFoundLongBeforeTheInterval(boolean several) {
        ScriptedBackend backend = new ScriptedBackend();
        try (Node node = Node.on(backend).polling(settings -> {
            settings.intervalMs(AN_HOUR_MS);
            settings.minIntervalMs(1);
        })) {
            if (several) {
                node.named("node", Duration.ofMinutes(1));
            }
            node.listen("Type", event -> DispatchResult.done());
            backend.put(Events.event("first", "Type"));
            node.start();
            awaitDelivery(node, "first");

            for (int i = 0; i < 20; i++) {
                backend.put(Events.event("e" + i, "Type"));
                awaitDelivery(node, "e" + i);
            }
        }
    }

    @Test
    void aNodeThatHearsHintsLooksBetweenThemWhileEventsKeepComing() {
        restTime.found();

        List<Long> rests = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            rests.add(restTime.next(5_000, 100));
        }

        assertThat(rests).containsExactly(10L, 20L, 40L, 80L, 5_000L, 5_000L);
    }

    @Test
    void hintsThatStayAwayForTheLongestPauseOfABurstAreNotWaitedFor() {
        PollSettings settings = new PollSettings();
        settings.minIntervalMs(10);
        settings.hintsArrive(() -> true);
        FeedState state = new FeedState(new AnyFeed(), settings, 0);
        assertThat(settings.restMs(state)).isEqualTo(PollSettings.DEFAULT_INTERVAL_MS);

        state.restTime().found();
        long looksUntilMs = 0;
        for (long restMs; (restMs = settings.restMs(state)) < PollSettings.DEFAULT_INTERVAL_MS; ) {
            looksUntilMs += restMs;
        }

        assertThat(looksUntilMs).isBetween(HintDebounce.LONGEST_PAUSE_MS, 4 * HintDebounce.LONGEST_PAUSE_MS);
    }

    @Test
    void aNodeThatHearsNoHintsAnyMoreLooksOftenOnceItHasFoundSomething() {
        AtomicBoolean arrive = new AtomicBoolean(true);
        PollSettings settings = new PollSettings();
        settings.minIntervalMs(200);
        settings.hintsArrive(arrive::get);
        FeedState state = new FeedState(new AnyFeed(), settings, 0);
        state.restTime().found();
        assertThat(settings.restMs(state)).isEqualTo(PollSettings.DEFAULT_INTERVAL_MS);

        arrive.set(false);
        state.restTime().found();
        assertThat(settings.restMs(state)).isEqualTo(200);
    }

    private record AnyFeed() implements PollFeed {

        @Override
        public EventTypes types() {
            return EventTypes.ALL;
        }

        @Override
        public int availableCapacity() {
            return 1;
        }

        @Override
        public void whenCapacityFrees(Runnable action) {}

        @Override
        public int batchSize() {
            return 0;
        }

        @Override
        public Duration interval() {
            return null;
        }
    }

    private static void awaitDelivery(Node node, String id) {
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(1))
                .until(() -> node.delivered().contains(id));
    }
}
