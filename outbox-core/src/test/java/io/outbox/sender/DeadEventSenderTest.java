package io.outbox.sender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.support.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class DeadEventSenderTest {

    private final EventEnvelope event = EventEnvelope.ofJson("placed", "{}");
    private final List<OutboxRoute> sent = new ArrayList<>();
    private OutboxRouter routes = any -> OutboxRoute.builder()
            .topic("orders")
            .key("o-1")
            .partition(3)
            .timestamp(Instant.EPOCH)
            .header("channel", "web")
            .build();
    private BatchOutcome answer = BatchOutcome.done();

    private DeadEventSender sender(String target) {
        return new DeadEventSender(any -> target, event -> routes.route(event), (event, route) -> {
            sent.add(route);
            return answer;
        });
    }

    private void die(DeadEventSender sender) throws Exception {
        sender.onLastFailure(
                event, new DeliveryInfo(4, null, event.occurredAt()), new IllegalStateException("of\n no use"));
    }

    @Test
    void aDeadEventGoesAsItWouldHaveGoneButElsewhereAndWithTheReason() throws Exception {
        die(sender("orders.dead"));

        assertThat(sent)
                .containsExactly(OutboxRoute.builder()
                        .topic("orders.dead")
                        .key("o-1")
                        .header("channel", "web")
                        .header("outbox_dead_cause", "java.lang.IllegalStateException: of no use")
                        .header("outbox_dead_attempts", "4")
                        .header("outbox_dead_target", "orders")
                        .header("outbox_dead_key", "o-1")
                        .build());
    }

    @Test
    void anEventThatDiedOfItsRouteIsSentWithoutOne() throws Exception {
        routes = any -> {
            throw new UnrecoverableException("no region");
        };

        die(sender("orders.dead"));

        assertThat(sent).singleElement().satisfies(route -> {
            assertThat(route.topic()).isEqualTo("orders.dead");
            assertThat(route.headers()).doesNotContainKey("outbox_dead_target");
        });
    }

    @Test
    void anEventWithoutATargetIsNotSent() throws Exception {
        die(sender(null));

        assertThat(sent).isEmpty();
    }

    @Test
    void whatCanNeverBeSentDiesAllTheSameAndTheLogSaysSo() throws Exception {
        answer = BatchOutcome.of(DispatchResult.dead("too large"));
        try (LogLines log = new LogLines()) {
            die(sender("orders.dead"));

            assertThat(log.at(Level.WARNING, event.eventId()))
                    .singleElement()
                    .asString()
                    .contains("too large");
        }
    }

    @Test
    void whatTheBrokerDoesNotTakeYetIsNotDead() {
        answer = BatchOutcome.of(DispatchResult.retryAfter(Duration.ofMillis(1)));
        assertThatThrownBy(() -> die(sender("orders.dead"))).isInstanceOf(RecoverableException.class);

        answer = BatchOutcome.failed(new RecoverableException("no such topic"));
        assertThatThrownBy(() -> die(sender("orders.dead"))).hasMessage("no such topic");
    }

    @Test
    void aBrokerThatIsAwayIsNotAskedForEachEvent() {
        answer = BatchOutcome.failed(new RouteUnavailableException("away"));
        DeadEventSender sender = sender("orders.dead");

        assertThatThrownBy(() -> die(sender)).hasMessage("away");
        assertThatThrownBy(() -> die(sender)).hasMessage("away");

        assertThat(sent).hasSize(1);
    }
}
