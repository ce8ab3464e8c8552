package io.outbox.internal.keyed;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.internal.ownership.Hold;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.spi.KeyHead;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rules of a chain, one by one; the names of the rules are those of {@code OwnershipModelTest}. */
class KeyChainTest {

    private static final Instant SOON = Instant.parse("2026-01-01T00:00:01Z");

    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final Recorder recorder = new Recorder();
    private final KeyChain chain = new KeyChain("key", true, Clock.fixed(SOON, ZoneOffset.UTC), recorder);
    private final List<Hold> holds = new ArrayList<>();

    /** Notes what the chain asks for. */
    private static final class Recorder implements KeyChain.Surroundings {

        private final List<String> offered = new ArrayList<>();
        private final List<String> givenBack = new ArrayList<>();
        private boolean hasRoom = true;
        private boolean isOver;

        @Override
        public boolean offer(KeyChain ignored, HeldEvent event) {
            offered.add(event.eventId());
            return hasRoom;
        }

        @Override
        public void giveBack(Hold hold) {
            givenBack.add(hold.eventId());
        }

        @Override
        public void over(KeyChain ended) {
            isOver = true;
        }

        @Override
        public void parked(KeyChain blocked, Outcome.Failed outcome) {}

        @Override
        public void done(KeyChain key, long number) {}

        @Override
        public void failedForGood(KeyChain key, boolean isParked) {}
    }

    KeyChainTest() {
        for (String id : List.of("1", "2", "3")) {
            Hold hold = owned.acquireKeyed(id);
            holds.add(hold);
            EventEnvelope event =
                    EventEnvelope.builder("type").eventId(id).payloadJson("{}").build();
            QueuedEvent queued = new QueuedEvent(event, QueuedEvent.Source.COLD, 0);
            chain.add(new HeldEvent(queued, hold), holds.size());
        }
        chain.begin();
    }

    @Test
    void oneEventIsOfferedAtATime() {
        assertThat(recorder.offered).containsExactly("1");

        done(0);

        assertThat(recorder.offered).containsExactly("1", "2");
    }

    @Test
    void theChainIsOverWhenTheLastOutcomeIsWritten() {
        for (int i = 0; i < 3; i++) {
            done(i);
        }
        holds.subList(0, 2).forEach(owned::close);
        assertThat(recorder.isOver).isFalse();

        owned.close(holds.get(2));

        assertThat(recorder.isOver).isTrue();
        assertThat(chain.isDone()).isTrue();
    }

    @Test
    void anEventThatIsNotDoneEndsTheChainAndTheRestIsGivenBack() {
        Hold.Place place = holds.get(0).place();
        place.ended(new Outcome.Failed("1", SOON, 0, 10, "broken"));
        place.goOn();

        assertThat(recorder.offered).containsExactly("1");
        assertThat(recorder.givenBack).containsExactly("2", "3");
        assertThat(chain.retryAt()).isEqualTo(SOON);
        assertThat(chain.isDone()).isFalse();
    }

    @Test
    void anEventForWhichThereIsNoRoomEndsTheChain() {
        recorder.hasRoom = false;

        done(0);
        owned.close(holds.get(1));

        assertThat(recorder.givenBack).containsExactly("2", "3");
    }

    @Test
    void theLossOfOneLockEndsTheWholeChain() {
        done(0);
        holds.get(0).outcomeRefused();
        owned.close(holds.get(0));

        done(1);

        assertThat(recorder.offered).containsExactly("1", "2");
        assertThat(recorder.givenBack).containsExactly("3");
    }

    @Test
    void nothingIsCertainWhileTheLockOfADeliveredEventBeforeItIsNot() {
        done(0);
        Hold.Place second = holds.get(1).place();

        assertThat(second.allBefore(hold -> true)).isTrue();
        assertThat(second.allBefore(hold -> !hold.eventId().equals("1"))).isFalse();
        owned.close(holds.get(0));
        assertThat(second.allBefore(hold -> !hold.eventId().equals("1"))).isTrue();
    }

    @Test
    void anEventThatHasFailedForGoodKeepsItsPlace() {
        Outcome written = holds.get(0).place().ended(new Outcome.Dead("1", "hopeless"));

        assertThat(written)
                .isEqualTo(new Outcome.Failed("1", KeyHead.parkedAt(SOON), 0, Integer.MAX_VALUE, "hopeless"));
        assertThat(recorder.givenBack).containsExactly("2", "3");
    }

    private void done(int index) {
        Hold.Place place = holds.get(index).place();
        place.ended(new Outcome.Done(holds.get(index).eventId(), SOON));
        place.goOn();
    }
}
