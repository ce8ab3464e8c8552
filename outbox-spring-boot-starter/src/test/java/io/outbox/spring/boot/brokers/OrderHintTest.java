package io.outbox.spring.boot.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.testservers.support.CapturedLog;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.mock.env.MockEnvironment;

class OrderHintTest {

    private static OrderHint hint(MockEnvironment environment) {
        return new OrderHint(new ExplicitSettings(environment));
    }

    private static EventEnvelope.Builder event() {
        return EventEnvelope.builder("Placed").payloadJson("{}");
    }

    @Test
    void theFirstEventWithAKeySaysOnceHowToKeepTheOrder() {
        OrderHint hint = hint(new MockEnvironment());
        try (CapturedLog log = CapturedLog.open()) {
            hint.written(event().build(), SenderType.KAFKA);
            hint.written(
                    event().aggregateId("1").deliverAfter(Duration.ofHours(1)).build(), SenderType.KAFKA);
            assertThat(log.text()).doesNotContain("outbox.ordering");

            hint.written(event().aggregateId("1").build(), SenderType.KAFKA);
            hint.written(event().aggregateId("2").build(), SenderType.KAFKA);

            assertThat(log.text()).containsOnlyOnce("set outbox.ordering=key");
            assertThat(log.text()).contains("Placed", "KAFKA", "outbox.ordering=none");
        }
    }

    @Test
    void routesAreAskedForOnlyWithOrderByKeyAndUntilTheTypeIsWarnedOf() {
        EventEnvelope event = event().aggregateId("1").build();
        assertThat(hint(new MockEnvironment()).asksForRoute(event, SenderType.KAFKA))
                .isFalse();

        OrderHint hint = hint(new MockEnvironment().withProperty("outbox.ordering", "key"));
        assertThat(hint.asksForRoute(event, SenderType.RABBIT_MQ)).isFalse();
        assertThat(hint.asksForRoute(event, SenderType.KAFKA)).isTrue();
        hint.routed(event, OutboxRoute.builder().partition(3).build(), false);
        assertThat(hint.asksForRoute(event, SenderType.KAFKA)).isFalse();
    }

    @Test
    void whoHasDecidedIsNotTold() {
        OrderHint hint = hint(new MockEnvironment().withProperty("outbox.ordering", "none"));
        try (CapturedLog log = CapturedLog.open()) {
            hint.written(event().aggregateId("1").build(), SenderType.KAFKA);

            assertThat(log.text()).isEmpty();
        }
    }

    @Test
    void aTypeThatIsNamedTwiceIsNoMistake() {
        assertThatNoException()
                .isThrownBy(
                        () -> hint(new MockEnvironment().withProperty("outbox.keyed.except-types", "Placed, Placed")));
    }
}
