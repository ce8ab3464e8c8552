package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BlockedKeys;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Ordering.OnExhausted;
import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyHead;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Events that keep the order of their key: damage among them, and an outbox that begins or ends to keep it. */
class RedisKeyedEventsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String TYPE = "Placed";
    private static final String KEY = "__GLOBAL__/k#";

    private final String name = Redis.newName();
    private final String prefix = "{" + name + "}:outbox:";
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final OutboxBackend backend = redis.backend();
    private final List<String> delivered = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        Layout.of(Redis.commands(), name).assertConsistent();
        redis.close();
    }

    private static EventEnvelope event(String key) {
        return EventEnvelope.builder(TYPE).aggregateId(key).payloadJson("{}").build();
    }

    private List<String> write(Ordering ordering, String key, int count) {
        Outbox.AbstractBuilder<?> builder = Outbox.writerOnly().backend(backend);
        try (Outbox outbox = (ordering == null ? builder : builder.ordering(ordering)).build()) {
            List<String> ids = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                ids.add(outbox.writer().write(event(key)));
            }
            return ids;
        }
    }

    private List<String> write(int count) {
        return write(Ordering.byKey(), "k", count);
    }

    private DefaultListenerRegistry listeners() {
        return new DefaultListenerRegistry().register(TYPE, event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
    }

    private Outbox.MultiNodeBuilder several() {
        return Outbox.multiNode()
                .backend(backend)
                .claimLocking(PATIENCE)
                .listenerRegistry(listeners())
                .intervalMs(50);
    }

    private Outbox.SingleNodeBuilder single() {
        return Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(listeners())
                .intervalMs(50);
    }

    private List<String> claimed() {
        KeyedRequest request = new KeyedRequest(
                new Lease("node", PATIENCE),
                Instant.now().plusSeconds(60),
                Instant.EPOCH,
                LostClaims.NONE,
                EventTypes.ALL,
                List.of(KEY),
                new KeyedRequest.Limit(100, Long.MAX_VALUE));
        return backend.claimKeyed(request).events().stream()
                .map(event -> event.row().eventId())
                .toList();
    }

    // Damage

    @Test
    void eventsThatHaveLostTheirStateAreDeliveredInTheirPlace() {
        List<String> ids = write(6);
        Redis.commands().hdel(prefix + "event", ids.get(0), ids.get(3));
        Redis.commands().hset(prefix + "event", ids.get(4), "no event");
        Redis.commands().zadd(prefix + "order", 0, "__GLOBAL__/k#\0nonsense");

        try (Outbox outbox = several().ordering(Ordering.byKey()).build()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }

        assertThat(delivered).isEqualTo(ids);
        assertThat(redis.mendedEntries()).isPositive();
    }

    @Test
    void aSingleNodeMendsAsWell() {
        List<String> ids = write(4);
        Redis.commands().hdel(prefix + "event", ids.get(0), ids.get(2));

        try (Outbox outbox = single().ordering(Ordering.byKey()).build()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }

        assertThat(delivered).isEqualTo(ids);
    }

    @Test
    void anEventThatHasLostItsPayloadIsParkedUntilItIsSkipped() {
        List<String> ids = write(3);
        Redis.commands().hdel(prefix + "body", ids.get(0));

        try (Outbox outbox = several().ordering(Ordering.byKey()).build()) {
            BlockedKeys blocked = outbox.blockedKeys().orElseThrow();
            await().atMost(PATIENCE)
                    .until(() -> backend.keyHeads("", 10).stream().anyMatch(KeyHead::isParked));
            assertThat(delivered).isEmpty();

            assertThat(blocked.skip(KEY, "payload lost")).isTrue();

            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }
        assertThat(delivered).isEqualTo(ids.subList(1, 3));
        assertThat(backend.countDead(TYPE)).isEqualTo(1);
        redis.repair(step -> {});
    }

    @Test
    void anEventThatHasLostItsPayloadGoesDeadWhereEventsAreSkipped() {
        List<String> ids = write(3);
        Redis.commands().hset(prefix + "body", ids.get(0), "no body");

        try (Outbox outbox = several()
                .ordering(Ordering.byKey().onExhausted(OnExhausted.SKIP))
                .build()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }

        assertThat(delivered).isEqualTo(ids.subList(1, 3));
        assertThat(backend.countDead(TYPE)).isEqualTo(1);
    }

    @Test
    void anEventThatIsHeldWithoutALockIsFree() {
        List<String> ids = write(2);
        assertThat(claimed()).isEqualTo(ids);
        Redis.commands().del(prefix + "keylocks:" + TYPE);

        KeyedRequest expired = new KeyedRequest(
                new Lease("other", PATIENCE),
                Instant.now().plusSeconds(60),
                Instant.EPOCH.plusSeconds(1),
                LostClaims.NONE,
                EventTypes.ALL,
                List.of(KEY),
                new KeyedRequest.Limit(100, Long.MAX_VALUE));
        assertThat(backend.claimKeyed(expired).events()).hasSize(2);
    }

    @Test
    void numbersGrowAlthoughTheLastOneIsLost() {
        List<String> ids = write(2);
        Redis.commands().del(prefix + "number");

        ids.addAll(write(2));

        assertThat(claimed()).isEqualTo(ids);
    }

    @Test
    void numbersGrowAlthoughTheClockOfTheServerWasAhead() {
        List<String> ids = write(1);
        Redis.commands().set(prefix + "number", "7000000000000000");

        ids.addAll(write(2));

        assertThat(claimed()).isEqualTo(ids);
        assertThat(Redis.commands().get(prefix + "number")).isEqualTo("7000000000000002");
    }

    // Counts

    @Test
    void eventsWithAndWithoutAnOrderAreCountedTogether() {
        List<String> ids = write(3);
        backend.persist(List.of(NewEvent.unowned(event("k"))));
        claimed();
        backend.apply(
                "node", List.of(new Outcome.Failed(ids.get(2), KeyHead.PARKED_UNTIL, 0, Integer.MAX_VALUE, "no")));

        assertThat(backend.counts()).containsExactly(new EventCount(TYPE, 2, 2));
        assertThat(backend.pending(Instant.now().plusSeconds(1)))
                .singleElement()
                .satisfies(pending -> assertThat(pending.count()).isEqualTo(3));
        assertThat(redis.verify(step -> {}).faults()).isEmpty();
    }

    @Test
    void nothingButEventsThatKeepTheirOrderNeedsFurtherKeys() {
        write(null, "k", 2);
        backend.persist(List.of(NewEvent.unowned(event("k")), NewEvent.unowned(event("k"))));

        try (Outbox outbox = several().build()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }

        assertThat(Redis.commands().keys(prefix + "*"))
                .containsExactlyInAnyOrder(prefix + "schema", prefix + "event", prefix + "body", prefix + "done");
    }

    @Test
    void whatIsDoneLeavesNothingBehind() {
        List<String> ids = write(3);
        claimed();
        backend.apply(
                "node",
                ids.stream()
                        .<Outcome>map(id -> new Outcome.Done(id, Instant.now(), false))
                        .toList());

        assertThat(Redis.commands().keys(prefix + "*")).containsExactlyInAnyOrder(prefix + "schema", prefix + "number");
    }

    // Beginning and ending to keep the order

    @Test
    void eventsThatWereWrittenBeforeAreDeliveredBesideTheNewOnes() {
        List<String> before = write(null, "k", 3);

        List<String> lines = logged(() -> write(3));
        List<String> again = logged(() -> write(1));

        assertThat(lines).singleElement().asString().contains("were written before keep none");
        assertThat(again).isEmpty();
        try (Outbox outbox = several().ordering(Ordering.byKey()).build()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }
        assertThat(delivered).hasSize(7).containsAll(before);
    }

    @Test
    void anInstanceWithoutOrderLeavesOrderedEventsToOthersAndSaysSo() {
        write(2);
        List<String> unordered = write(null, "k", 1);

        List<String> lines = logged(() -> {
            try (RedisOutbox another = Redis.connect(Redis.uri(Redis.server()), name);
                    Outbox outbox = Outbox.singleNode()
                            .backend(another.backend())
                            .listenerRegistry(listeners())
                            .intervalMs(20)
                            .build()) {
                await().atMost(PATIENCE).until(() -> !outbox.counts().isEmpty() && delivered.equals(unordered));
            }
        });

        assertThat(lines).singleElement().asString().contains("2 events that keep the order", "dropOrder()");
        assertThat(claimed()).hasSize(2);
    }

    @Test
    void anOutboxThatGivesUpTheOrderDeliversWhatWaitsWithout() {
        List<String> ids = write(1_200);
        claimed();
        backend.apply(
                "node",
                List.of(
                        new Outcome.Failed(ids.get(0), KeyHead.PARKED_UNTIL, 0, Integer.MAX_VALUE, "no"),
                        new Outcome.Dead(ids.get(1), "no")));

        assertThat(redis.dropOrder()).isEqualTo(1_199);

        Layout.of(Redis.commands(), name).assertConsistent();
        assertThat(backend.keyHeads("", 10)).isEmpty();
        assertThat(backend.replayDead(List.of(ids.get(1)))).isEqualTo(1);
        assertThat(StoredEvents.find(Redis.commands(), name, ids.get(0)))
                .hasValueSatisfying(event -> assertThat(event.status()).isEqualTo(EventStatus.RETRY));
        backend.release("node", ids);
        List<String> found = new ArrayList<>();
        Lease lease = new Lease("other", Duration.ofHours(1));
        Stream.generate(() ->
                        backend.claim(ClaimRequest.first(lease, Instant.now().plusSeconds(60), 500)))
                .takeWhile(page -> !page.events().isEmpty())
                .forEach(page -> page.events().forEach(event -> found.add(event.eventId())));
        assertThat(found).containsExactlyInAnyOrderElementsOf(ids);
    }

    private static List<String> logged(Runnable work) {
        List<String> lines = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(new SimpleFormatter().formatMessage(line));
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(KeptOrder.class.getName());
        logger.addHandler(handler);
        try {
            work.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }
}
