package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OutboxRouteTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("placed", "{}");
    private static final OutboxRoute FULL = OutboxRoute.builder()
            .topic("orders")
            .key("k")
            .partition(3)
            .routingKey("r")
            .timestamp(Instant.EPOCH)
            .header("a", "1")
            .build();

    @Test
    void leavesEverythingOpenUnlessToldOtherwise() {
        OutboxRoute route = OutboxRoute.open();

        assertThat(route.topic()).isNull();
        assertThat(route.key()).isNull();
        assertThat(route.partition()).isNull();
        assertThat(route.routingKey()).isNull();
        assertThat(route.timestamp()).isNull();
        assertThat(route.headers()).isEmpty();
        assertThat(route).isEqualTo(OutboxRoute.builder().build());
    }

    @Test
    void takesWhatItLeavesOpenFromAnother() {
        OutboxRoute own = OutboxRoute.builder()
                .topic("eu")
                .header("a", "2")
                .header("b", "3")
                .build();

        OutboxRoute route = own.orElse(FULL);

        assertThat(route)
                .isEqualTo(FULL.toBuilder()
                        .topic("eu")
                        .headers(Map.of("a", "2", "b", "3"))
                        .build());
        assertThat(OutboxRoute.open().orElse(FULL)).isSameAs(FULL);
        assertThat(FULL.orElse(OutboxRoute.open())).isSameAs(FULL);
    }

    @Test
    void aRouterThatReturnsNothingLeavesEverythingToTheOther() {
        OutboxRouter silent = event -> null;

        assertThat(silent.orElse(event -> FULL).route(EVENT)).isEqualTo(FULL);
        assertThat(silent.orElse(silent).route(EVENT)).isEqualTo(OutboxRoute.open());
    }

    @Test
    void leavesOutAHeaderWithoutValue() {
        assertThat(OutboxRoute.builder().header("a", null).build().headers()).isEmpty();
    }

    @Test
    void refusesWhatNoMessageMayHave() {
        OutboxRoute.Builder route = OutboxRoute.builder();

        assertThatIllegalArgumentException().isThrownBy(() -> route.partition(-1));
        assertThatIllegalArgumentException().isThrownBy(() -> route.header(" ", "x"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> route.header("outbox_event_id", "forged"))
                .withMessageContaining("outbox_event_id");
    }

    @Test
    void tellsNoHeadersToALog() {
        assertThat(FULL.toBuilder().header("secret", "s3cret").build().toString())
                .contains("orders")
                .doesNotContain("s3cret");
    }
}
