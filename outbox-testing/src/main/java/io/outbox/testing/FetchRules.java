package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PendingEvents;
import io.outbox.spi.EventTypes;
import io.outbox.spi.OutboxBackend.FetchRequest;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Rules of reading without locks: what is due, oldest first, page by page. */
abstract class FetchRules extends FidelityRules {

    @Test
    void anEmptyStoreHasNothingDue() {
        assertThat(fetch(10)).isEmpty();
        assertThat(claim("a", 10)).isEmpty();
        assertThat(backend.nextDueAt(engine.now())).isEmpty();
        assertThat(backend.pending(engine.now())).isEmpty();
    }

    @Test
    void fetchReturnsTheOldestFirstWhateverTheOrderOfWriting() {
        List<EventEnvelope> events = dueEvents(50);
        List<EventEnvelope> shuffled = new ArrayList<>(events);
        Collections.shuffle(shuffled, new Random(7));
        store(shuffled, null);

        assertThat(rowIds(fetch(100))).containsExactlyElementsOf(ids(events));
        assertThat(rowIds(fetch(10))).containsExactlyElementsOf(ids(events).subList(0, 10));
    }

    @Test
    void fetchChangesNothing() {
        String id = storeDue();

        StoredEvent before = stored(id);
        fetch(10);

        assertThat(stored(id)).isEqualTo(before);
        assertThat(rowIds(fetch(10))).containsExactly(id);
    }

    @Test
    void fetchSeesLockedEventsSoThatASingleNodeFindsWhatAnotherLeftBehind() {
        EventEnvelope event = aged(Duration.ofMinutes(1));
        store(List.of(event), "gone");

        assertThat(rowIds(fetch(10))).containsExactly(event.eventId());
    }

    @Test
    void anEventIsDueFromTheMicrosecondItIsAvailable() {
        Instant due = engine.now().plus(Duration.ofHours(1));
        String id = store(event().availableAt(due).build());

        assertThat(fetchAt(due.minusNanos(1_000), Duration.ZERO)).isEmpty();
        assertThat(fetchAt(due, Duration.ZERO)).containsExactly(id);
    }

    @Test
    void anEventYoungerThanSkipRecentIsLeftAlone() {
        Instant created = engine.now().minusSeconds(60);
        String id = store(event().occurredAt(created).build());

        assertThat(fetchAt(created.plusSeconds(5).minusNanos(1_000), Duration.ofSeconds(5)))
                .isEmpty();
        assertThat(fetchAt(created.plusSeconds(5), Duration.ofSeconds(5))).containsExactly(id);
    }

    @Test
    void pagesCoverEveryDueEventOnce() {
        Random random = new Random(3);
        Instant base = engine.now().minus(Duration.ofHours(1));
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 103; i++) {
            Instant created = base.plusMillis(random.nextInt(10));
            EventEnvelope.Builder builder = event().occurredAt(created);
            events.add(
                    random.nextBoolean()
                            ? builder.build()
                            : builder.availableAt(created.plusMillis(random.nextInt(20)))
                                    .build());
        }
        store(events, null);

        Instant now = engine.now();
        List<String> seen = new ArrayList<>();
        OutboxEvent after = null;
        for (List<OutboxEvent> page; !(page = page(now, after)).isEmpty(); ) {
            assertThat(page).hasSizeLessThanOrEqualTo(10).isSortedAccordingTo(CREATION_ORDER);
            if (after != null) {
                assertThat(PAGE_ORDER.compare(Collections.min(page, PAGE_ORDER), after))
                        .isPositive();
            }
            seen.addAll(rowIds(page));
            after = Collections.max(page, PAGE_ORDER);
        }

        assertThat(seen).containsExactlyInAnyOrderElementsOf(ids(events));
    }

    @Test
    void pagesGoOnBehindEventsThatEndedMeanwhile() {
        List<String> ids = storeDue(30);
        Instant now = engine.now();
        List<OutboxEvent> first = page(now, null);

        backend.apply(
                null,
                first.stream()
                        .map(row -> (Outcome) new Outcome.Done(row.eventId(), now))
                        .toList());

        assertThat(rowIds(page(now, Collections.max(first, PAGE_ORDER))))
                .containsExactlyElementsOf(ids.subList(10, 20));
    }

    @Test
    void retriesAndNewEventsAreFetchedInOneOrder() {
        Mixed mixed = storeRetriesAmongNewEvents();

        assertThat(rowIds(fetch(1))).containsExactly(mixed.oldestRetry);
        assertThat(rowIds(fetch(100))).containsExactlyElementsOf(mixed.inOrder);
    }

    /** Events in order of age, of which every third is a retry, the oldest included. */
    record Mixed(String oldestRetry, List<String> inOrder) {}

    final Mixed storeRetriesAmongNewEvents() {
        List<EventEnvelope> events = dueEvents(30);
        store(events, null);
        for (int i = 0; i < events.size(); i += 3) {
            EventEnvelope event = events.get(i);
            backend.apply(
                    null,
                    List.of(new Outcome.Failed(
                            event.eventId(), event.occurredAt().plusNanos(1_000), 0, 9, "x")));
        }
        return new Mixed(events.get(0).eventId(), ids(events));
    }

    @Test
    void onlyTheTypesAskedForAreFetched() {
        TypedEvents events = storeThreeTypes();

        assertThat(fetchTypes(EventTypes.only("A"))).containsExactlyElementsOf(events.of("A"));
        assertThat(fetchTypes(EventTypes.except(List.of("A")))).containsExactlyElementsOf(events.of("B", "C"));
        assertThat(fetchTypes(EventTypes.except(List.of("A", "C")))).containsExactlyElementsOf(events.of("B"));
        assertThat(fetchTypes(new EventTypes(List.of("A", "B"), false))).containsExactlyElementsOf(events.of("A", "B"));
        assertThat(fetchTypes(EventTypes.ALL)).containsExactlyElementsOf(events.of("A", "B", "C"));
        assertThat(fetchTypes(EventTypes.only("Unknown"))).isEmpty();
    }

    @Test
    void pagesOfOneTypeCoverItsEventsOnce() {
        TypedEvents events = storeThreeTypes();
        Instant now = engine.now();
        List<String> seen = new ArrayList<>();
        OutboxEvent after = null;
        for (List<OutboxEvent> page; !(page = pageOf("B", now, after)).isEmpty(); ) {
            seen.addAll(rowIds(page));
            after = Collections.max(page, PAGE_ORDER);
        }

        assertThat(seen).containsExactlyElementsOf(events.of("B"));
    }

    private List<OutboxEvent> pageOf(String type, Instant now, OutboxEvent after) {
        return backend.fetch(new FetchRequest(now, Duration.ZERO, EventTypes.only(type), 3, after, 0));
    }

    private List<String> fetchTypes(EventTypes types) {
        return rowIds(backend.fetch(new FetchRequest(engine.now(), Duration.ZERO, types, 100, null, 0)));
    }

    /** Events of several types, in order of creation. */
    record TypedEvents(List<EventEnvelope> all) {

        List<String> of(String... types) {
            return ids(all.stream()
                    .filter(event -> List.of(types).contains(event.eventType()))
                    .toList());
        }
    }

    /** Stores due events of types A, B and C in turn. */
    final TypedEvents storeThreeTypes() {
        Instant first = engine.now().minus(Duration.ofMinutes(1));
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            events.add(EventEnvelope.builder(List.of("A", "B", "C").get(i % 3))
                    .occurredAt(first.plusMillis(i))
                    .payloadJson("{}")
                    .build());
        }
        store(events, null);
        return new TypedEvents(events);
    }

    @Test
    void whatIsPendingIsCountedPerTypeWithItsOldest() {
        TypedEvents events = storeThreeTypes();
        Instant now = engine.now();
        store(EventEnvelope.builder("Later")
                .occurredAt(now)
                .availableAt(now.plusSeconds(3600))
                .payloadJson("{}")
                .build());
        String done = events.of("A").get(0);
        String dead = events.of("A").get(1);
        String retried = events.of("B").get(0);
        backend.apply(null, List.of(new Outcome.Done(done, now)));
        backend.apply(null, List.of(new Outcome.Dead(dead, "x")));
        backend.apply(null, List.of(new Outcome.Failed(retried, now.minusSeconds(1), 0, 9, "x")));
        claim("a", 5);

        assertThat(backend.pending(now))
                .containsExactlyInAnyOrder(
                        new PendingEvents("A", 8, events.all().get(6).occurredAt()),
                        new PendingEvents("B", 10, events.all().get(4).occurredAt()),
                        new PendingEvents("C", 10, events.all().get(2).occurredAt()));
    }

    @Test
    void finishedEventsAreNotFetched() {
        List<String> ids = storeDue(4);

        backend.apply(
                null,
                List.of(
                        new Outcome.Done(ids.get(0), engine.now()),
                        new Outcome.Dead(ids.get(1), "dead"),
                        new Outcome.Failed(ids.get(2), engine.now().plusSeconds(3600), 0, 9, "later")));

        assertThat(rowIds(fetch(10))).containsExactly(ids.get(3));
        assertThat(rowIds(claim("a", 10))).containsExactly(ids.get(3));
    }

    @Test
    void theNextDueTimeIsThatOfTheFirstEventNotYetDue() {
        Instant now = engine.now();
        Instant soon = now.plus(Duration.ofMinutes(10));
        storeDue();
        store(event().availableAt(now.plus(Duration.ofMinutes(20))).build());
        assertThat(backend.nextDueAt(now)).contains(now.plus(Duration.ofMinutes(20)));

        String first = store(event().availableAt(soon).build());
        assertThat(backend.nextDueAt(now)).contains(soon);
        assertThat(backend.nextDueAt(soon)).contains(now.plus(Duration.ofMinutes(20)));

        backend.apply(null, List.of(new Outcome.Dead(first, "no more")));
        assertThat(backend.nextDueAt(now)).contains(now.plus(Duration.ofMinutes(20)));
        assertThat(backend.nextDueAt(now.plus(Duration.ofMinutes(20)))).isEmpty();
    }

    @Test
    void theNextDueTimeCountsRetries() {
        Instant now = engine.now();
        String id = storeDue();
        Instant retryAt = now.plusSeconds(30);

        backend.apply(null, List.of(new Outcome.Failed(id, retryAt, 0, 9, "again")));

        assertThat(backend.nextDueAt(now)).contains(retryAt);
    }

    private List<String> fetchAt(Instant now, Duration skipRecent) {
        return rowIds(backend.fetch(new FetchRequest(now, skipRecent, 10, null, 0)));
    }

    private List<OutboxEvent> page(Instant now, OutboxEvent after) {
        return backend.fetch(new FetchRequest(now, Duration.ZERO, 10, after, 0));
    }
}
