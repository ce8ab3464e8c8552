package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of whose outcomes count: those of the holder, while the event is open. */
abstract class FencingRules extends EngineRules {

    FencingRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void onlyTheHolderCanCompleteAnEvent() {
        List<String> ids = storeDue(4);
        claim("a", 4);
        List<StoredEvent> before = stored(ids);

        assertThat(backend.apply("b", oneOfEach(ids))).isEmpty();

        assertThat(stored(ids)).isEqualTo(before);
    }

    @Test
    void anEventThatNoOneHoldsTakesNoOutcomeFromAnOwner() {
        List<String> ids = storeDue(4);
        List<StoredEvent> before = stored(ids);

        assertThat(backend.apply("a", oneOfEach(ids))).isEmpty();

        assertThat(stored(ids)).isEqualTo(before);
    }

    @Test
    void aLateOutcomeAfterATakeOverIsRefused() {
        List<String> ids = storeDue(4);
        claim("slow", SHORT_LEASE, 4);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));
        claim("heir", SHORT_LEASE, 4);
        List<StoredEvent> before = stored(ids);

        assertThat(backend.apply("slow", oneOfEach(ids))).isEmpty();

        assertThat(stored(ids)).isEqualTo(before);
        assertThat(backend.apply("heir", oneOfEach(ids))).hasSize(4);
    }

    @Test
    void anOutcomeAfterTheLeaseStandsIfNoOneTookTheEventOver() {
        String id = storeDue();
        claim("slow", SHORT_LEASE, 1);
        engine.letTimePass(SHORT_LEASE.multipliedBy(2));

        assertThat(backend.apply("slow", List.of(new Outcome.Done(id, engine.now()))))
                .containsOnly(Map.entry(id, EventStatus.DONE));
    }

    @Test
    void withoutAnOwnerOutcomesCountWhoeverHoldsTheEvent() {
        List<String> ids = storeDue(4);
        claim("a", 4);

        assertThat(backend.apply(null, oneOfEach(ids))).hasSize(4);

        assertThat(ids).allSatisfy(id -> assertThat(stored(id).lockedBy()).isNull());
    }

    @Test
    void anOwnersOutcomeCountsForTheEventsItWrote() {
        List<EventEnvelope> events = dueEvents(4);
        store(events, "writer");

        assertThat(backend.apply("writer", oneOfEach(ids(events)))).hasSize(4);
    }

    @Test
    void doneIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Done(id, Instant.parse("2024-01-01T00:00:00Z")));
    }

    @Test
    void deadIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Dead(id, "the end"));
    }

    @Test
    void anExhaustedBudgetIsTerminalForEveryLateOutcome() {
        assertTerminal(id -> new Outcome.Failed(id, Instant.parse("2024-01-01T00:00:00Z"), 0, 1, "the end"));
    }

    @Test
    void itIsToldWhichEventsAreDone() {
        List<String> ids = storeDue(5);
        List<Outcome> outcomes = oneOfEach(ids.subList(0, 4));
        backend.apply(null, outcomes);
        List<String> done = outcomes.stream()
                .filter(Outcome.Done.class::isInstance)
                .map(Outcome::eventId)
                .toList();
        List<String> asked = new ArrayList<>(ids);
        asked.add("unknown");

        assertThat(backend.doneAmong(asked)).containsExactlyElementsOf(done).hasSize(1);
        assertThat(backend.doneAmong(List.of())).isEmpty();
    }

    private interface Ending {
        Outcome of(String eventId);
    }

    private void assertTerminal(Ending ending) {
        for (String owner : new String[] {null, "a"}) {
            List<String> ids = storeDue(4);
            if (owner != null) {
                claim(owner, 4);
            }
            backend.apply(owner, ids.stream().map(ending::of).toList());
            List<StoredEvent> ended = stored(ids);
            assertThat(ended).noneMatch(StoredEvent::isPending);

            Map<String, EventStatus> applied = backend.apply(owner, oneOfEach(ids));

            assertThat(applied).isEmpty();
            assertThat(stored(ids)).isEqualTo(ended);
        }
    }
}
