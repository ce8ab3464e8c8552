package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.MessageProperties;
import io.outbox.EventEnvelope;
import io.outbox.rabbitmq.Outgoing.Target;
import java.time.Duration;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PaceTest {

    private final Pace pace = new Pace();

    private static Outgoing message(String type, int size) {
        EventEnvelope event = EventEnvelope.ofJson(type, "x".repeat(size));
        return new Outgoing(
                0, event, new RabbitMessage("exchange", type, MessageProperties.BASIC, event.payloadBytes()));
    }

    private static List<Outgoing> messages(String type, int count) {
        return IntStream.range(0, count).mapToObj(i -> message(type, 10)).toList();
    }

    private static Target route(String type) {
        return message(type, 1).target();
    }

    private void taken(int count) {
        messages("a", count).forEach(pace::taken);
    }

    @Test
    void everythingGoesTogetherOnceItsSizeIsKnown() {
        assertThat(pace.together(messages("a", 50))).isEqualTo(1);
        pace.taken(message("a", 10));

        assertThat(pace.together(messages("a", 50))).isEqualTo(50);
    }

    @Test
    void aMessageLargerThanAnyBeforeGoesByItself() {
        pace.taken(message("a", 10));
        List<Outgoing> messages = new ArrayList<>(messages("a", 5));
        messages.set(2, message("a", 11));

        assertThat(pace.together(messages)).as("those ahead of it").isEqualTo(2);
        assertThat(pace.together(messages.subList(2, 5))).isEqualTo(1);
        pace.taken(messages.get(2));
        assertThat(pace.together(messages)).isEqualTo(5);

        pace.forgetSizes();
        assertThat(pace.together(messages)).isEqualTo(1);
    }

    @Test
    void aRefusedRouteGetsOneMessageAndThenMoreAndMore() {
        taken(1);
        pace.refused(route("a"));

        assertThat(pace.together(messages("a", 50))).isEqualTo(1);
        taken(1);
        assertThat(pace.together(messages("a", 50))).isEqualTo(2);
        taken(2);
        assertThat(pace.together(messages("a", 50))).isEqualTo(4);
        assertThat(pace.together(messages("b", 50))).as("of another route").isEqualTo(50);
        taken(997);
        assertThat(pace.together(messages("a", 2_000))).isEqualTo(2_000);
    }

    @Test
    void aRefusalThatBecomesKnownWhileABatchIsCountedCountsFromThenOn() {
        taken(1);
        List<Outgoing> messages = new AbstractList<>() {
            @Override
            public Outgoing get(int index) {
                if (index == 1) {
                    pace.refused(route("a"));
                }
                return message("a", 10);
            }

            @Override
            public int size() {
                return 50;
            }
        };

        assertThat(pace.together(messages)).isEqualTo(2);
    }

    @Test
    void routesWithAKeyForEachMessageCountTogetherOnceSeveralWereRefused() {
        taken(1);
        pace.refused(route("a.1"));
        List<Outgoing> others =
                IntStream.range(10, 60).mapToObj(i -> message("a." + i, 10)).toList();
        assertThat(pace.together(others)).as("it may be this key alone").isEqualTo(50);
        pace.refused(route("a.2"));

        assertThat(pace.together(others)).isEqualTo(1);
        pace.taken(others.get(0));
        assertThat(pace.together(others)).isEqualTo(2);
        pace.refused(route("a.11"));
        assertThat(pace.together(others)).isEqualTo(1);
        others.forEach(pace::taken);
        assertThat(pace.together(others)).isEqualTo(50);
    }

    @Test
    void attemptsInVainAreFurtherAndFurtherApart() {
        List<Duration> pauses = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            pauses.add(pace.refused(route("a")));
        }

        assertThat(pauses).extracting(Duration::toSeconds).containsExactly(2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
        taken(1);
        assertThat(pace.refused(route("a"))).isEqualTo(Pace.FIRST_PAUSE);
    }

    @Test
    void computedRoutesAreNotRememberedWithoutEnd() {
        taken(1);
        for (int i = 0; i < 2_000; i++) {
            assertThat(pace.refused(route("t" + i))).isEqualTo(Pace.FIRST_PAUSE);
        }

        assertThat(pace.refused(route("t5"))).isGreaterThan(Pace.FIRST_PAUSE);
        assertThat(pace.refused(route("t1999"))).isEqualTo(Pace.FIRST_PAUSE);
    }
}
