package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.delivery.RouteCircuits.News;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.polling.AlarmLine;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.EventTypes;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RouteCircuitsTest {

    private final LaneRig rig = new LaneRig(new OwnedEvents(new DefaultInFlightTracker()), new AlarmLine(), false);
    private final EngineClock clock = EngineClock.of(Clock.systemUTC());
    private final RouteCircuits perType = RouteCircuits.perType(rig.lane.room(), clock);
    private final RouteCircuits ofLane = RouteCircuits.ofLane(rig.lane.room(), clock);

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    void noneLetEverythingPassAndDoNotOpen() {
        RouteCircuits none = RouteCircuits.none();

        assertThat(none.canOpen()).isFalse();
        assertThat(none.isOpen("A")).isFalse();
        assertThat(none.isAnyOpen()).isFalse();
        assertThat(none.admit("A")).isTrue();
        assertThat(none.admits(7)).isEqualTo(7);
        assertThat(none.reset("A")).isNull();
        assertThat(none.readable(EventTypes.ALL)).isEqualTo(EventTypes.ALL);
        assertThat(none.probes()).isEmpty();
        assertThat(none.unavailable()).isEmpty();
        none.probeLost("A");
    }

    @Test
    void letEverythingPassWhileClosed() {
        for (RouteCircuits circuits : List.of(perType, ofLane)) {
            assertThat(circuits.canOpen()).isTrue();
            assertThat(circuits.isAnyOpen()).isFalse();
            assertThat(circuits.admits(7)).isEqualTo(7);
            assertThat(circuits.admit("A")).isTrue();
            assertThat(circuits.admit("A")).isTrue();
        }
    }

    @Test
    void tellWhoOpenedAndWhoClosedThem() {
        for (RouteCircuits circuits : List.of(perType, ofLane)) {
            assertThat(circuits.reset("A")).isNull();
            assertThat(circuits.trip("A", clock.now(), "down on port 1")).isEqualTo(News.UNAVAILABLE);
            assertThat(circuits.trip("A", clock.now(), "down on port 2")).isEqualTo(News.NONE);
            assertThat(circuits.trip("A", clock.now(), "no such host")).isEqualTo(News.OTHER_CAUSE);
            assertThat(circuits.isOpen("A")).isTrue();
            assertThat(circuits.unavailable())
                    .extracting(UnavailableTarget::cause)
                    .containsExactly("no such host");
            assertThat(circuits.reset("A")).isNotNull();
            assertThat(circuits.reset("A")).isNull();
            assertThat(circuits.isOpen("A")).isFalse();
            assertThat(circuits.admits(3)).isEqualTo(3);
        }
    }

    @Test
    void ofOneTypeLeaveTheOthersAlone() {
        perType.trip("A", clock.now(), "down");

        assertThat(perType.isOpen("B")).isFalse();
        assertThat(perType.admit("A")).isFalse();
        assertThat(perType.admit("B")).isTrue();
        assertThat(perType.admits(7)).isEqualTo(7);
        assertThat(perType.readable(EventTypes.ALL)).isEqualTo(EventTypes.except(List.of("A")));
        assertThat(perType.probes())
                .singleElement()
                .satisfies(probe -> assertThat(probe.types()).isEqualTo(EventTypes.only("A")));
    }

    @Test
    void ofALaneStopAllItsTypes() {
        ofLane.trip("A", clock.now(), "down");

        assertThat(ofLane.isOpen("B")).isTrue();
        assertThat(ofLane.admit("B")).isFalse();
        assertThat(ofLane.admits(7)).isZero();
        assertThat(ofLane.readable(EventTypes.ALL)).isEqualTo(EventTypes.ALL);
        assertThat(ofLane.probes()).isEmpty();
    }

    @Test
    void admitEverythingAfterAProbeThatGotThrough() {
        ofLane.trip("A", clock.now(), "down");
        ofLane.allowProbes("A", Duration.ofMillis(1));
        await().atMost(Duration.ofSeconds(10)).until(() -> ofLane.admits(10) == 1);
        assertThat(ofLane.admit("A")).isTrue();
        assertThat(ofLane.admit("A")).isFalse();

        ofLane.reset("A");

        assertThat(ofLane.admits(10)).isEqualTo(10);
        assertThat(ofLane.admit("A")).isTrue();
        assertThat(ofLane.admit("A")).isTrue();
    }
}
