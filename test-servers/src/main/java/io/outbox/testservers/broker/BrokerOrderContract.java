package io.outbox.testservers.broker;

import static io.outbox.testservers.broker.Outcomes.TYPE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Order by key as the consumers of a broker see it: two nodes write and deliver, and each key arrives in the order in
 * which it was written, whatever becomes of broker and connections. What arrives again is left out, as by a consumer
 * that knows ids.
 */
@Timeout(240)
public abstract class BrokerOrderContract extends BrokerContract {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    private final KeyWatch watch = new KeyWatch();
    private final List<Outbox> nodes = new ArrayList<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, String> keys = new HashMap<>();
    private final Random random = new Random(1);

    /** Makes a place for events of several keys, and returns its name. */
    protected String newTargetForKeys() {
        return broker().newTarget();
    }

    @Test
    void oneEventOfAKeyIsUnderWayWhileBatchesOfManyKeysAreFull() {
        String target = newTargetForKeys();
        broker().proxy().delay(Duration.ofMillis(10));
        startNodes(target, Duration.ofSeconds(30), true);
        nodes.forEach(Outbox::pause);
        write(250, 4);

        nodes.forEach(Outbox::resume);
        await().atMost(PATIENCE).until(() -> done(backend) > 400);
        broker().proxy().resetAll();

        awaitAllDone();
        assertThat(watch.violations()).isEmpty();
        assertThat(watch.largestBatch()).isGreaterThanOrEqualTo(50);
        assertThat(watch.mostUnderWay()).isGreaterThan(nodes.size());
        broker().proxy().delay(Duration.ZERO);
        assertThat(inversions(target)).isZero();
    }

    @Test
    @Tag("soak")
    void eachKeyArrivesInOrderThoughTheBrokerIsKilled() {
        assertThat(inversionsWhileTheBrokerIsKilled(true)).isZero();
        assertThat(watch.violations()).isEmpty();
    }

    /** That is what the order is for: events retried and sent by two nodes overtake each other. */
    @Test
    @Tag("soak")
    void keysArriveInAnyOrderWithoutTheSetting() {
        assertThat(inversionsWhileTheBrokerIsKilled(false)).isPositive();
    }

    private int inversionsWhileTheBrokerIsKilled(boolean inOrder) {
        String target = newTargetForKeys();
        startNodes(target, Duration.ofMillis(1500), inOrder);
        write(20, 100);
        await().atMost(PATIENCE).until(() -> done(backend) > 500);

        broker().kill();
        write(20, 200);
        await().pollDelay(Duration.ofSeconds(3)).until(() -> true);
        broker().server().restart();
        write(20, 200);

        awaitAllDone();
        int inversions = inversions(target);
        System.out.printf(
                "%s, %s: %,d events of 20 keys, %d out of order, %d sent while another of their key was under way%n",
                broker().getClass().getSimpleName(),
                inOrder ? "order by key" : "no order",
                numbers.size(),
                inversions,
                watch.violations().size());
        return inversions;
    }

    private void startNodes(String target, Duration emergencyTimeout, boolean inOrder) {
        for (String name : List.of("node-1", "node-2")) {
            Outbox.MultiNodeBuilder node = Outbox.multiNode()
                    .backend(backend)
                    .claimLocking(name, Duration.ofMinutes(5))
                    .listenerRegistry(
                            new DefaultListenerRegistry().register(TYPE, watch.on(sender(target, emergencyTimeout))))
                    .maxAttempts(10_000)
                    .retryPolicy(attempts -> 100)
                    .intervalMs(100);
            nodes.add(track((inOrder ? node.ordering(Ordering.byKey()) : node).build()));
        }
    }

    /** Writes so many events of each key, one after the other, through whichever node. */
    private void write(int keyCount, int eventsPerKey) {
        for (int i = 0; i < eventsPerKey; i++) {
            for (int k = 0; k < keyCount; k++) {
                EventEnvelope event = EventEnvelope.builder(TYPE)
                        .aggregateId("key-" + k)
                        .payloadJson("{}")
                        .build();
                numbers.put(event.eventId(), numbers.size());
                keys.put(event.eventId(), event.key());
                Outbox node = nodes.get(random.nextInt(nodes.size()));
                backend.inTransaction(() -> node.writer().write(event));
            }
        }
    }

    private void awaitAllDone() {
        await().atMost(PATIENCE).until(() -> done(backend) == numbers.size());
    }

    /**
     * Returns how many events came to the target for the first time behind a later one of their key; all have to be
     * there.
     */
    private int inversions(String target) {
        Map<String, Integer> last = new HashMap<>();
        Set<String> arrived = new HashSet<>();
        int inversions = 0;
        for (String eventId : broker().eventIds(target)) {
            if (arrived.add(eventId)) {
                int number = numbers.get(eventId);
                int before = last.getOrDefault(keys.get(eventId), -1);
                inversions += number < before ? 1 : 0;
                last.put(keys.get(eventId), Math.max(number, before));
            }
        }
        assertThat(arrived).hasSameElementsAs(numbers.keySet());
        return inversions;
    }
}
