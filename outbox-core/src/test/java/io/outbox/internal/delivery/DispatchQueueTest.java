package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.dispatch.QueuedEvent.Source;
import io.outbox.internal.ownership.HeldEvent;
import io.outbox.support.Events;
import io.outbox.support.Gate;
import io.outbox.support.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;

class DispatchQueueTest {

    private static final ToIntFunction<HeldEvent> ONE = event -> 1;
    private static final ToIntFunction<HeldEvent> TEN = event -> 10;

    private static HeldEvent held(Source source, String id, String type) {
        return new HeldEvent(new QueuedEvent(Events.event(id, type), source, 0), null);
    }

    private static HeldEvent hot(String id) {
        return held(Source.HOT, id, "A");
    }

    private static HeldEvent cold(String id) {
        return held(Source.COLD, id, "A");
    }

    private static boolean offer(DispatchQueue queue, HeldEvent event) {
        return queue.offer(event, anyone -> true);
    }

    /** Events named by their type and a number, such as "A1". */
    private static void offerAll(DispatchQueue queue, Source source, String... ids) {
        for (String id : ids) {
            assertThat(offer(queue, held(source, id, id.substring(0, 1)))).isTrue();
        }
    }

    private static List<String> ids(List<HeldEvent> events) {
        return events.stream().map(HeldEvent::eventId).toList();
    }

    private static List<String> drain(DispatchQueue queue, ToIntFunction<HeldEvent> batchSize) {
        List<String> batches = new ArrayList<>();
        for (List<HeldEvent> batch; !(batch = poll(queue, batchSize)).isEmpty(); ) {
            batches.add(String.join(" ", ids(batch)));
        }
        return batches;
    }

    private static List<HeldEvent> take(DispatchQueue queue, ToIntFunction<HeldEvent> batchSize)
            throws InterruptedException {
        return take(queue, batchSize, Long.MAX_VALUE, () -> {});
    }

    private static List<HeldEvent> take(
            DispatchQueue queue, ToIntFunction<HeldEvent> batchSize, long mostNanos, Runnable leaving)
            throws InterruptedException {
        List<HeldEvent> batch = new ArrayList<>();
        queue.take(batch, batchSize, mostNanos, leaving);
        return batch;
    }

    private static List<HeldEvent> poll(DispatchQueue queue, ToIntFunction<HeldEvent> batchSize) {
        List<HeldEvent> batch = new ArrayList<>();
        queue.poll(batch, batchSize);
        return batch;
    }

    @Test
    void takesTwoHotEventsForEachColdOneWhileBothAreThere() {
        DispatchQueue queue = new DispatchQueue(100, 100, false, new DispatchQueue.Depths());
        for (int i = 0; i < 20; i++) {
            offer(queue, hot("h" + i));
            offer(queue, cold("c" + i));
        }

        StringBuilder taken = new StringBuilder();
        for (int i = 0; i < 30; i++) {
            taken.append(poll(queue, ONE).get(0).eventId().charAt(0));
        }

        assertThat(taken).hasToString("hhc".repeat(10));
    }

    @Test
    void keepsTheOrderOfEachQueue() {
        DispatchQueue queue = new DispatchQueue(100, 100, false, new DispatchQueue.Depths());
        for (int i = 0; i < 9; i++) {
            offer(queue, hot("h" + i));
            offer(queue, cold("c" + i));
        }

        List<String> taken = drain(queue, ONE);

        assertThat(taken).hasSize(18);
        assertThat(taken.stream().filter(id -> id.startsWith("h"))).isSorted();
        assertThat(taken.stream().filter(id -> id.startsWith("c"))).isSorted();
    }

    @Test
    void turnsToTheOtherQueueAtOnceWhenOneIsEmpty() throws Exception {
        DispatchQueue queue = new DispatchQueue(10, 10, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "C1", "C2", "C3");
        for (int i = 1; i <= 3; i++) {
            assertThat(ids(take(queue, ONE))).containsExactly("C" + i);
        }

        offerAll(queue, Source.HOT, "H1", "H2", "H3", "H4");
        for (int i = 1; i <= 4; i++) {
            assertThat(ids(take(queue, ONE))).containsExactly("H" + i);
        }
    }

    @Test
    void givesTheColdQueueItsTurnAfterARunOfHotEvents() {
        DispatchQueue queue = new DispatchQueue(10, 10, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "H1", "H2", "H3", "H4", "H5");
        poll(queue, ONE);
        poll(queue, ONE);
        poll(queue, ONE);

        offerAll(queue, Source.COLD, "C1");

        assertThat(ids(poll(queue, ONE))).containsExactly("C1");
        assertThat(ids(poll(queue, ONE))).containsExactly("H4");
    }

    @Test
    void takesABatchOfOneRouteAndKeepsTheOrderOfTheOthers() {
        DispatchQueue queue = new DispatchQueue(20, 20, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "B1", "A2", "C1", "B2", "A3", "C2");

        assertThat(drain(queue, TEN)).containsExactly("A1 A2 A3", "B1 B2", "C1 C2");
    }

    @Test
    void separatesRoutesByAggregateTypeToo() {
        DispatchQueue queue = new DispatchQueue(20, 20, false, new DispatchQueue.Depths());
        HeldEvent global = cold("g");
        HeldEvent order = new HeldEvent(
                new QueuedEvent(
                        EventEnvelope.builder("A")
                                .eventId("o")
                                .aggregateType("Order")
                                .payloadJson("{}")
                                .build(),
                        Source.COLD,
                        0),
                null);
        offer(queue, global);
        offer(queue, order);

        assertThat(drain(queue, TEN)).containsExactly("g", "o");
    }

    @Test
    void takesNoMoreThanTheBatchSize() {
        DispatchQueue queue = new DispatchQueue(20, 20, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "A1", "B1", "A2", "A3", "B2", "A4");

        assertThat(drain(queue, event -> 2)).containsExactly("A1 A2", "B1 B2", "A3 A4");
    }

    @Test
    void deliversSetAsideEventsBeforeLaterOnes() {
        DispatchQueue queue = new DispatchQueue(20, 20, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "A1", "B1", "A2", "B2");
        assertThat(ids(poll(queue, TEN))).containsExactly("A1", "A2");

        offerAll(queue, Source.HOT, "A3", "B3");

        assertThat(drain(queue, ONE)).containsExactly("B1", "B2", "A3", "B3");
    }

    @Test
    void doesNotMixHotAndColdInABatch() {
        DispatchQueue queue = new DispatchQueue(20, 20, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "A1");
        offerAll(queue, Source.COLD, "A2");

        assertThat(drain(queue, TEN)).containsExactly("A1", "A2");
    }

    @Test
    void passesOverNothingInStrictOrder() {
        DispatchQueue queue = new DispatchQueue(20, 20, true, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "A2", "B1", "A3", "A4", "B2", "B3");

        assertThat(drain(queue, TEN)).containsExactly("A1 A2", "B1", "A3 A4", "B2 B3");
    }

    @Test
    void keepsTheOrderOfEveryRouteWhateverTheBatches() {
        long seed = Long.getLong("outbox.test.seed", System.nanoTime());
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            boolean strict = random.nextBoolean();
            DispatchQueue queue = new DispatchQueue(2000, 2000, strict, new DispatchQueue.Depths());
            List<String> offered = new ArrayList<>();
            List<String> taken = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                String id = (char) ('A' + random.nextInt(4)) + String.format("%04d", i);
                offerAll(queue, Source.COLD, id);
                offered.add(id);
                if (random.nextInt(10) == 0) {
                    taken.addAll(ids(poll(queue, event -> random.nextInt(6))));
                }
            }
            for (String batch : drain(queue, event -> random.nextInt(20))) {
                taken.addAll(List.of(batch.split(" ")));
            }

            assertThat(taken).as("-Doutbox.test.seed=%d, round %d", seed, round).hasSize(600);
            if (strict) {
                assertThat(taken)
                        .as("-Doutbox.test.seed=%d, round %d", seed, round)
                        .isEqualTo(offered);
            }
            for (String route : List.of("A", "B", "C", "D")) {
                assertThat(taken.stream().filter(id -> id.startsWith(route)))
                        .as("-Doutbox.test.seed=%d, round %d, route %s", seed, round, route)
                        .isSorted();
            }
        }
    }

    @Test
    void refusesEventsBeyondTheCapacityOfTheirQueue() {
        DispatchQueue queue = new DispatchQueue(2, 1, false, new DispatchQueue.Depths());

        assertThat(offer(queue, hot("1"))).isTrue();
        assertThat(offer(queue, hot("2"))).isTrue();
        assertThat(offer(queue, hot("3"))).isFalse();
        assertThat(offer(queue, cold("4"))).isTrue();
        assertThat(offer(queue, cold("5"))).isFalse();
        assertThat(queue.hotRemaining()).isZero();
        assertThat(queue.coldRemaining()).isZero();
        assertThat(queue.hotSize()).isEqualTo(2);
        assertThat(queue.coldSize()).isEqualTo(1);
    }

    @Test
    void countsSetAsideEventsAgainstTheCapacity() {
        DispatchQueue queue = new DispatchQueue(1, 4, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "B1", "B2", "A2");
        poll(queue, TEN);

        assertThat(queue.coldSize()).isEqualTo(2);
        assertThat(queue.coldRemaining()).isEqualTo(2);
        offerAll(queue, Source.COLD, "A3", "A4");
        assertThat(offer(queue, cold("A5"))).isFalse();
        assertThat(drain(queue, ONE)).containsExactly("B1", "B2", "A3", "A4");
    }

    @Test
    void treatsABatchSizeBelowOneAsOne() {
        DispatchQueue queue = new DispatchQueue(5, 5, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "A1", "A2");

        assertThat(drain(queue, event -> -3)).containsExactly("A1", "A2");
    }

    @Test
    void givesOutWhatIsQueuedAfterCloseAndThenNothing() throws Exception {
        DispatchQueue queue = new DispatchQueue(5, 5, false, new DispatchQueue.Depths());
        offerAll(queue, Source.HOT, "A1");
        offerAll(queue, Source.COLD, "A2");

        queue.close();

        assertThat(offer(queue, hot("late"))).isFalse();
        assertThat(ids(take(queue, ONE))).containsExactly("A1");
        assertThat(ids(take(queue, ONE))).containsExactly("A2");
        assertThat(take(queue, ONE)).isEmpty();
    }

    @Test
    void removesWhatIsUnwantedIncludingWhatWasSetAside() {
        DispatchQueue queue = new DispatchQueue(5, 5, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "B1", "A2", "B2");
        poll(queue, TEN);
        offerAll(queue, Source.HOT, "H1");

        assertThat(ids(queue.remove(event -> true, () -> {}))).containsExactlyInAnyOrder("B1", "B2", "H1");
        assertThat(poll(queue, ONE)).isEmpty();
        assertThat(queue.coldRemaining()).isEqualTo(5);
    }

    @Test
    void wakesAWaitingWorkerForEitherQueueAndOnClose() throws Exception {
        DispatchQueue queue = new DispatchQueue(5, 5, false, new DispatchQueue.Depths());
        ExecutorService pool = Executors.newSingleThreadExecutor();
        try {
            for (Source source : Source.values()) {
                Future<List<HeldEvent>> waiting = pool.submit(() -> take(queue, ONE));
                offer(queue, held(source, "x", "A"));
                assertThat(ids(waiting.get(10, TimeUnit.SECONDS))).containsExactly("x");
            }
            Future<List<HeldEvent>> waiting = pool.submit(() -> take(queue, ONE));
            queue.close();
            assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
        } finally {
            pool.shutdownNow();
        }
    }

    @Test
    void losesAndDuplicatesNothingAmongManyThreads() throws Exception {
        int producers = 4;
        int perProducer = 10_000;
        DispatchQueue queue = new DispatchQueue(64, 64, false, new DispatchQueue.Depths());
        Queue<String> taken = new ConcurrentLinkedQueue<>();
        AtomicInteger producing = new AtomicInteger(producers);
        List<Callable<Void>> actions = new ArrayList<>();
        for (int p = 0; p < producers; p++) {
            int producer = p;
            actions.add(() -> {
                for (int i = 0; i < perProducer; i++) {
                    Source source = (i & 1) == 0 ? Source.HOT : Source.COLD;
                    String type = String.valueOf((char) ('A' + i % 3));
                    while (!offer(queue, held(source, producer + "-" + i, type))) {
                        Thread.yield();
                    }
                }
                if (producing.decrementAndGet() == 0) {
                    queue.close();
                }
                return null;
            });
        }
        for (int c = 0; c < 4; c++) {
            int batch = c * 3;
            actions.add(() -> {
                for (List<HeldEvent> next; !(next = take(queue, event -> batch)).isEmpty(); ) {
                    next.forEach(event -> taken.add(event.eventId()));
                }
                return null;
            });
        }

        try (Race race = new Race(8)) {
            race.run(actions);
        }

        assertThat(taken).hasSize(producers * perProducer).doesNotHaveDuplicates();
        assertThat(queue.hotSize() + queue.coldSize()).isZero();
    }

    @Test
    void takesOfAPageWhatIsInFrontOfTheFirstWithoutRoomOrAdmission() {
        DispatchQueue queue = new DispatchQueue(10, 4, false, new DispatchQueue.Depths());
        List<HeldEvent> page = List.of(cold("a"), cold("b"), cold("c"));

        assertThat(queue.offer(page, event -> !event.eventId().equals("b"))).isEqualTo(1);
        assertThat(queue.offer(page, anyone -> true)).isEqualTo(3);
        assertThat(queue.offer(page, anyone -> true)).isZero();
        queue.close();

        assertThat(queue.offer(List.of(hot("h")), anyone -> true)).isZero();
        assertThat(drain(queue, ONE)).containsExactly("a", "a", "b", "c");
    }

    @Test
    void keepsNoWorkerWaitingWhileThereIsWork() throws Exception {
        int workers = 4;
        DispatchQueue queue = new DispatchQueue(1000, 1000, false, new DispatchQueue.Depths());
        AtomicInteger busy = new AtomicInteger();
        AtomicInteger rounds = new AtomicInteger();
        ExecutorService pool = Executors.newFixedThreadPool(workers);
        try {
            for (int i = 0; i < workers; i++) {
                pool.execute(() -> {
                    try {
                        while (!take(queue, ONE).isEmpty()) {
                            int round = rounds.get();
                            busy.incrementAndGet();
                            while (rounds.get() == round) {
                                Thread.yield();
                            }
                        }
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
            }
            for (int round = 0; round < 200; round++) {
                busy.set(0);
                List<HeldEvent> events = new ArrayList<>();
                for (int i = 0; i < workers; i++) {
                    events.add(round % 2 == 0 ? cold(round + "-" + i) : hot(round + "-" + i));
                }
                if (round % 4 < 2) {
                    events.forEach(event -> offer(queue, event));
                } else {
                    assertThat(queue.offer(events, anyone -> true)).isEqualTo(workers);
                }
                await().atMost(Duration.ofSeconds(10))
                        .pollDelay(Duration.ZERO)
                        .pollInterval(Duration.ofMillis(1))
                        .until(() -> busy.get() == workers);
                rounds.incrementAndGet();
            }
        } finally {
            queue.close();
            rounds.incrementAndGet();
            pool.shutdown();
            assertThat(pool.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The size of a batch is for the application to say, and writers need the queue meanwhile. */
    @Test
    void nobodyWaitsForWhoeverTellsTheSizeOfABatch() throws Exception {
        DispatchQueue queue = new DispatchQueue(100, 100, false, new DispatchQueue.Depths());
        Gate gate = new Gate();
        offerAll(queue, Source.HOT, "A1", "A2");
        ExecutorService worker = Executors.newSingleThreadExecutor();
        try {
            Future<List<HeldEvent>> batch = worker.submit(() -> take(queue, event -> {
                gate.pass();
                return 10;
            }));
            gate.awaitReached();

            assertThat(offer(queue, hot("A3"))).isTrue();
            assertThat(queue.hotRemaining()).isEqualTo(98);
            gate.open();

            assertThat(ids(batch.get(20, TimeUnit.SECONDS))).containsExactly("A1", "A2", "A3");
        } finally {
            gate.open();
            worker.shutdownNow();
        }
    }

    @Test
    void whateverIsThrownAnEventIsInTheQueueOrInTheBatch() {
        DispatchQueue queue = new DispatchQueue(100, 100, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "A2");
        List<HeldEvent> batch = new ArrayList<>();

        assertThatThrownBy(() -> queue.poll(batch, event -> {
                    throw new OutOfMemoryError("as good as any");
                }))
                .isInstanceOf(OutOfMemoryError.class);

        assertThat(ids(batch)).containsExactly("A1");
        assertThat(drain(queue, ONE)).containsExactly("A2");
    }

    /** A batch that takes no more than one event. */
    @Test
    void anEventThatABatchDoesNotTakeStaysInTheQueue() {
        DispatchQueue queue = new DispatchQueue(100, 100, false, new DispatchQueue.Depths());
        offerAll(queue, Source.COLD, "A1", "A2", "A3");
        List<HeldEvent> batch = new ArrayList<>() {
            @Override
            public boolean add(HeldEvent event) {
                if (size() == 1) {
                    throw new OutOfMemoryError("as good as any");
                }
                return super.add(event);
            }
        };

        assertThatThrownBy(() -> queue.poll(batch, TEN)).isInstanceOf(OutOfMemoryError.class);

        assertThat(ids(batch)).containsExactly("A1");
        assertThat(drain(queue, ONE)).containsExactly("A2", "A3");
    }

    @Test
    void theDepthsOfAllQueuesAreKnownWhereverTheirEventsAre() {
        DispatchQueue.Depths depths = new DispatchQueue.Depths();
        DispatchQueue first = new DispatchQueue(100, 100, false, depths);
        DispatchQueue second = new DispatchQueue(100, 100, false, depths);
        offerAll(first, Source.HOT, "A1", "B1", "A2", "B2");
        offerAll(second, Source.HOT, "A1");
        offerAll(second, Source.COLD, "A2", "B1", "A3");
        assertThat(List.of(depths.hot(), depths.cold())).containsExactly(5, 3);

        poll(first, TEN); // sets B1 aside
        assertThat(List.of(depths.hot(), depths.cold())).containsExactly(3, 3);
        second.remove(event -> event.eventId().startsWith("A"), () -> {});
        assertThat(List.of(depths.hot(), depths.cold())).containsExactly(2, 1);
        drain(first, TEN);
        drain(second, ONE);
        assertThat(List.of(depths.hot(), depths.cold())).containsExactly(0, 0);
    }
}
