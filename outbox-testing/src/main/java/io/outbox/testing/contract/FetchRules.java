package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Outcome;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** Rules of reading without locks: what is due, oldest first, page by page. */
abstract class FetchRules extends EngineRules {

    private static final int PAGE = 10;
    private static final Comparator<OutboxEvent> CREATION_ORDER =
            Comparator.comparing(OutboxEvent::createdAt).thenComparing(OutboxEvent::eventId);

    FetchRules(Callable<EngineUnderTest> engines) {
        super(engines);
    }

    private Page<DueEvent> page(Instant now, PageCursor after) {
        return backend.fetch(FetchRequest.first(now, PAGE).after(after));
    }

    private List<String> fetchAt(Instant now, Duration skipRecent) {
        return rowIds(rows(backend.fetch(new FetchRequest(now, skipRecent, EventTypes.ALL, PAGE, null))));
    }

    private List<String> fetchTypes(EventTypes types) {
        return rowIds(rows(backend.fetch(new FetchRequest(engine.now(), Duration.ZERO, types, 100, null))));
    }

    private static List<String> dueIds(List<DueEvent> events) {
        return events.stream().map(DueEvent::eventId).toList();
    }

    @Test
    void anEmptyStoreHasNothingToFetch() {
        Page<DueEvent> page = page(engine.now(), null);

        assertThat(page.items()).isEmpty();
        assertThat(page.next()).isNull();
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
    void aPageEndsWithTheEventThatReachesItsBytes() {
        List<String> ids = storeLargeEvents();
        FetchRequest request = FetchRequest.first(engine.now(), 100).upTo(25_000);

        List<List<String>> pages = new ArrayList<>();
        PageCursor next = null;
        do {
            Page<DueEvent> page = backend.fetch(request.after(next));
            pages.add(dueIds(page.items()));
            next = page.next();
        } while (next != null);

        assertThat(pages.stream().flatMap(List::stream)).containsExactlyElementsOf(ids);
        assertThat(pages.get(0)).hasSize(3);
        assertThat(pages).allSatisfy(page -> assertThat(page).hasSizeLessThanOrEqualTo(3));
    }

    @Test
    void aPageHasAtLeastOneEventHoweverLargeItIs() {
        List<String> ids = storeLargeEvents();

        Page<DueEvent> page =
                backend.fetch(FetchRequest.first(engine.now(), 100).upTo(1));

        assertThat(dueIds(page.items())).containsExactly(ids.get(0));
        assertThat(page.next()).isNotNull();
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
    void retriesAndNewEventsAreFetchedInOneOrder() {
        List<String> inOrder = storeRetriesAmongNewEvents();

        assertThat(rowIds(fetch(1))).containsExactly(inOrder.get(0));
        assertThat(rowIds(fetch(100))).containsExactlyElementsOf(inOrder);
    }

    @Test
    void aRetryComesWithItsAttemptsAndWithNoErrorButItsLast() {
        String id = storeDue();
        backend.apply(null, List.of(new Outcome.Failed(id, engine.now().minusSeconds(2), 0, 9, "first")));
        backend.apply(null, List.of(new Outcome.Failed(id, engine.now().minusSeconds(1), 1, 9, "last")));

        DueEvent retry = page(engine.now(), null).items().get(0);

        assertThat(retry.event().attempts()).isEqualTo(2);
        assertThat(retry.lastError())
                .as("the last error, if the engine can tell")
                .isIn("last", null);
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
    }

    // Pages

    /** Stores events of many ages and due times, some of them held by several owners. */
    private List<String> storeAllSorts(int count) {
        Random random = new Random(3);
        Instant base = engine.now().minus(Duration.ofHours(1));
        List<String> ids = new ArrayList<>();
        for (String owner : new String[] {null, "a", "b"}) {
            List<EventEnvelope> events = new ArrayList<>();
            for (int i = 0; i < count / 3; i++) {
                Instant created = base.plusMillis(random.nextInt(10));
                EventEnvelope.Builder event = event().occurredAt(created);
                events.add(
                        random.nextBoolean()
                                ? event.build()
                                : event.availableAt(created.plusMillis(random.nextInt(20)))
                                        .build());
            }
            store(events, owner);
            ids.addAll(ids(events));
        }
        return ids;
    }

    @Test
    void pagesCoverEveryDueEventOnceLockedOnesToo() {
        List<String> ids = storeAllSorts(102);
        Instant now = engine.now();

        List<DueEvent> seen = Pages.all(Pages.within(PAGE, after -> page(now, after)));

        assertThat(dueIds(seen)).containsExactlyInAnyOrderElementsOf(ids);
    }

    @Test
    void eachPageIsInOrderOfCreationAndFollowsTheOneBefore() {
        storeAllSorts(102);
        Instant now = engine.now();
        List<List<OutboxEvent>> pages = new ArrayList<>();

        Pages.all(after -> {
            Page<DueEvent> page = page(now, after);
            pages.add(rows(page));
            return page;
        });

        Instant reached = Instant.MIN;
        for (List<OutboxEvent> page : pages) {
            assertThat(page).isSortedAccordingTo(CREATION_ORDER);
            Instant from = reached;
            assertThat(page).allSatisfy(row -> assertThat(row.availableAt()).isAfterOrEqualTo(from));
            reached = page.stream()
                    .map(OutboxEvent::availableAt)
                    .max(Comparator.naturalOrder())
                    .orElse(reached);
        }
    }

    @Test
    void whereAPageHoldsTheRestNothingFollows() {
        storeDue(PAGE - 1);

        assertThat(page(engine.now(), null).next()).isNull();
    }

    @Test
    void pagesGoOnBehindEventsThatEndedMeanwhile() {
        List<String> ids = storeDue(30);
        Instant now = engine.now();
        Page<DueEvent> first = page(now, null);

        finish(dueIds(first.items()));

        assertThat(dueIds(page(now, first.next()).items())).containsExactlyElementsOf(ids.subList(10, 20));
    }

    @Test
    void anEventThatWasCommittedLateIsFoundFromTheFront() {
        List<String> ids = storeDue(30);
        Instant now = engine.now();
        Page<DueEvent> first = page(now, null);
        EventEnvelope late = aged(Duration.ofMinutes(5));

        store(late);

        List<DueEvent> rest = Pages.all(after -> page(now, after == null ? first.next() : after));
        assertThat(dueIds(rest))
                .containsOnlyOnceElementsOf(ids.subList(10, 30))
                .doesNotContainAnyElementsOf(ids.subList(0, 10));
        assertThat(dueIds(page(now, null).items())).startsWith(late.eventId());
    }

    @Test
    void pagesFromATimeOnCoverWhatIsDueFromThenOn() {
        storeAllSorts(102);
        Instant now = engine.now();
        List<DueEvent> all = Pages.all(after -> page(now, after));
        Instant middle = all.get(50).event().availableAt();

        List<DueEvent> seen =
                Pages.all(Pages.within(PAGE, after -> page(now, after == null ? backend.placeOf(middle) : after)));

        assertThat(dueIds(seen))
                .doesNotHaveDuplicates()
                .containsAll(dueIds(all.stream()
                        .filter(due -> !due.event().availableAt().isBefore(middle))
                        .toList()));
    }

    // Types

    @Test
    void onlyTheTypesAskedForAreFetched() {
        backend.prepareReadsByType();
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
        backend.prepareReadsByType();
        TypedEvents events = storeThreeTypes();
        FetchRequest first = new FetchRequest(engine.now(), Duration.ZERO, EventTypes.only("B"), 3, null);

        List<DueEvent> seen = Pages.all(Pages.within(3, after -> backend.fetch(first.after(after))));

        assertThat(dueIds(seen)).containsExactlyElementsOf(events.of("B"));
    }

    @Test
    void pagesOfSeveralTypesCoverTheirEventsOnceInOneOrder() {
        backend.prepareReadsByType();
        TypedEvents events = storeThreeTypes();
        EventTypes types = new EventTypes(List.of("C", "A", "Unknown"), false);
        FetchRequest first = new FetchRequest(engine.now(), Duration.ZERO, types, 3, null);

        List<DueEvent> seen = Pages.all(Pages.within(3, after -> backend.fetch(first.after(after))));

        assertThat(dueIds(seen)).containsExactlyElementsOf(events.of("A", "C"));
    }

    @Test
    void readsByTypeCanBePreparedAgain() {
        backend.prepareReadsByType();
        backend.prepareReadsByType();

        String id = storeDue();

        assertThat(fetchTypes(EventTypes.only(TYPE))).containsExactly(id);
    }
}
