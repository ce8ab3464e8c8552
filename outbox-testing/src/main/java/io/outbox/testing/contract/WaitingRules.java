package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Rules of events that wait, as they are looked up and changed by somebody who does not hold them. */
abstract class WaitingRules extends EngineRules {

    WaitingRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    @Test
    void anEventIsLookedUpWhereverItStands() {
        List<String> ids = storeDue(5);
        Instant now = engine.now();
        claim("node-a", 1);
        backend.apply(
                null,
                List.of(
                        new Outcome.Done(ids.get(1), now),
                        new Outcome.Failed(ids.get(2), now.plusSeconds(60), 0, 9, "failed"),
                        new Outcome.Dead(ids.get(3), "dead")));

        Map<String, InspectedEvent> found =
                backend
                        .lookUp(Stream.concat(ids.stream(), Stream.of("unknown", ids.get(0)))
                                .toList())
                        .stream()
                        .collect(Collectors.toMap(event -> event.event().eventId(), event -> event));

        assertThat(found).containsOnlyKeys(ids);
        assertThat(ids.stream().map(id -> found.get(id).status()))
                .containsExactly(
                        EventStatus.NEW, EventStatus.DONE, EventStatus.RETRY, EventStatus.DEAD, EventStatus.NEW);
        InspectedEvent held = found.get(ids.get(0));
        assertThat(held.lock().node()).isEqualTo("node-a");
        assertThat(held.lock().since()).isNotNull();
        assertThat(held.event().eventType()).isEqualTo(TYPE);
        assertThat(held.event().payloadJson()).as("payload").isNull();
        assertThat(found.get(ids.get(1)).doneAt()).isEqualTo(stored(ids.get(1)).doneAt());
        assertThat(found.get(ids.get(2)).event().attempts()).isEqualTo(1);
        assertThat(found.get(ids.get(2)).event().availableAt())
                .isEqualTo(stored(ids.get(2)).availableAt());
        assertThat(found.get(ids.get(2)).lastError()).isEqualTo("failed");
        assertThat(found.get(ids.get(3)).lastError()).isEqualTo("dead");
        assertThat(found.get(ids.get(4)).lock()).isNull();
        assertThat(backend.lookUp(List.of())).isEmpty();
    }

    @Test
    void onlyAnEventThatNobodyHoldsIsChangedFromOutside() {
        List<String> ids = storeDue(6);
        Instant now = engine.now();
        claim("node-a", 2);
        finish(ids.subList(5, 6));
        List<StoredEvent> held = stored(ids.subList(0, 2));

        Map<String, EventStatus> standing = backend.applyToFree(List.of(
                new Outcome.Dead(ids.get(0), "cancelled"),
                new Outcome.Deferred(ids.get(1), now.minusSeconds(1)),
                new Outcome.Dead(ids.get(2), "cancelled"),
                new Outcome.Deferred(ids.get(3), now.minusSeconds(1)),
                new Outcome.Dead(ids.get(5), "cancelled"),
                new Outcome.Dead("unknown", "cancelled")));

        assertThat(standing)
                .containsOnly(Map.entry(ids.get(2), EventStatus.DEAD), Map.entry(ids.get(3), EventStatus.NEW));
        assertThat(stored(ids.subList(0, 2))).isEqualTo(held);
        assertThat(stored(ids.get(5)).status()).isEqualTo(EventStatus.DONE);
        assertThat(backend.apply("node-a", done(ids.subList(0, 2), now))).hasSize(2);
        assertThat(rowIds(claim("node-a", 9))).containsExactly(ids.get(3), ids.get(4));
    }

    @Test
    void aChangeFromOutsideThatIsRepeatedStands() {
        List<Outcome> cancelled = List.of(new Outcome.Dead(storeDue(), "cancelled"));

        assertThat(backend.applyToFree(cancelled))
                .isEqualTo(backend.applyToFree(cancelled))
                .hasSize(1);
    }
}
