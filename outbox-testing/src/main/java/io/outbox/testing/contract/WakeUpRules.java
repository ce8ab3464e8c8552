package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.WakeUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules of {@link WakeUp} as tests, for implementations of a transport for hints. */
public abstract class WakeUpRules {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int STORM = 20_000;
    /** Transports send at most one message in this time. */
    private static final long PAUSE_MS = 5;

    private final List<WakeUp.Listening> listenings = new ArrayList<>();

    /** Returns one end of the transport, on which this test listens; the same during a test. */
    protected abstract WakeUp listening();

    /** Returns an end of the same transport as another process would have it, or the same if there is but one. */
    protected abstract WakeUp sending();

    /** What a listener was told. */
    private static final class Heard {

        final List<Set<String>> hints = new CopyOnWriteArrayList<>();

        /** Returns whether the listener was told of the type, or of any. */
        boolean of(String eventType, int from) {
            return hints.subList(from, hints.size()).stream()
                    .anyMatch(hint -> hint.isEmpty() || hint.contains(eventType));
        }
    }

    @AfterEach
    void closeListenings() {
        listenings.forEach(WakeUp.Listening::close);
    }

    private Heard listen() {
        Heard heard = new Heard();
        listenings.add(listening().listen(heard.hints::add));
        eventually(() -> listening().isConnected() && !heard.hints.isEmpty());
        return heard;
    }

    private static void eventually(BooleanSupplier condition) {
        Waiting.until(PATIENCE, () -> "the hint is heard", condition);
    }

    /** Signals until it is heard: a hint may be lost. */
    private void signalUntilHeard(Heard heard, String eventType) {
        int from = heard.hints.size();
        eventually(() -> {
            sending().signal(Set.of(eventType));
            return heard.of(eventType, from);
        });
    }

    @Test
    void aListenerIsCalledWhenItIsConnectedForWhatItMissed() {
        assertThat(listen().hints).contains(Set.of());
    }

    @Test
    void aHintReachesEveryListener() {
        Heard first = listen();
        Heard second = listen();
        int seenBySecond = second.hints.size();

        signalUntilHeard(first, "Ordered");

        eventually(() -> second.of("Ordered", seenBySecond));
    }

    @Test
    void aHintOfNoTypeIsOneOfAnyType() {
        Heard heard = listen();
        int from = heard.hints.size();

        sending().signal(Set.of());

        eventually(() -> heard.hints.size() > from);
        assertThat(heard.hints.get(from)).isEmpty();
    }

    @Test
    void typesComeAsTheyAreOrAsAny() {
        Heard heard = listen();
        for (String type : List.of("a,b", "a\nb", "a'b", "probe:x", "hint:y", "ü€😀", "x".repeat(10_000))) {
            int from = heard.hints.size();
            sending().signal(Set.of(type));

            eventually(() -> heard.of(type, from));
            assertThat(heard.hints.subList(from, heard.hints.size()))
                    .allMatch(hint -> hint.isEmpty() || hint.equals(Set.of(type)));
        }
    }

    @Test
    void aStormOfHintsIsFewCalls() {
        Heard heard = listen();
        int from = heard.hints.size();
        long began = System.nanoTime();
        Set<String> types = new HashSet<>();
        for (int i = 0; i < STORM; i++) {
            String type = "Type" + i % 10;
            types.add(type);
            sending().signal(Set.of(type));
        }
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);

        types.forEach(type -> eventually(() -> heard.of(type, from)));
        if (isDebounced()) {
            assertThat(heard.hints.size() - from).isLessThanOrEqualTo((int) (tookMs / PAUSE_MS) + 4);
        }
    }

    /** Returns whether hints travel as messages, of which there must not be too many. */
    protected boolean isDebounced() {
        return true;
    }

    @Test
    void messagesAreCountedAtBothEnds() {
        AtomicInteger sent = new AtomicInteger();
        AtomicInteger arrived = new AtomicInteger();
        MetricsExporter counting = new ForwardingMetrics(MetricsExporter.NOOP) {
            @Override
            public void incrementHintsSent() {
                sent.incrementAndGet();
            }

            @Override
            public void incrementHintsHeard() {
                arrived.incrementAndGet();
            }
        };
        sending().reportTo(counting);
        listening().reportTo(counting);
        listening().reportTo(counting);
        Heard heard = listen();

        signalUntilHeard(heard, "Ordered");

        eventually(() -> sent.get() > 0 && sent.get() == arrived.get());
    }

    @Test
    void aListenerThatFailsKeepsNoOtherFromHearing() {
        AtomicInteger failures = new AtomicInteger();
        listenings.add(listening().listen(types -> {
            failures.incrementAndGet();
            throw new IllegalStateException("failed on purpose");
        }));
        Heard heard = listen();

        signalUntilHeard(heard, "Ordered");
        assertThat(failures).hasPositiveValue();
    }

    @Test
    void whoeverHasClosedIsCalledNoMore() {
        Heard closed = listen();
        Heard stays = listen();
        WakeUp.Listening listening = listenings.get(0);
        listening.close();
        int before = closed.hints.size();

        signalUntilHeard(stays, "Ordered");

        assertThat(closed.hints).hasSize(before);
        assertThatCode(listening::close).doesNotThrowAnyException();
    }

    @Test
    void whoeverListensAgainHearsAgain() {
        listen();
        listenings.forEach(WakeUp.Listening::close);

        signalUntilHeard(listen(), "Ordered");
    }

    @Test
    void hintsThatNobodyHearsDoNoHarm() {
        assertThatCode(() -> sending().signal(Set.of("Ordered"))).doesNotThrowAnyException();
    }
}
