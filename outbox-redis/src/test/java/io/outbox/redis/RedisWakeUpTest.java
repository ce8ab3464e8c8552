package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Outcome;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Hints over publish and subscribe, with pollers that would otherwise sleep through the test. */
class RedisWakeUpTest {

    private static final long NEVER_MS = 3_600_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name = Redis.newName();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();

    @AfterEach
    void closeAll() throws Exception {
        Collections.reverse(opened);
        for (AutoCloseable resource : opened) {
            resource.close();
        }
    }

    private RedisOutbox connect(RedisURI uri) {
        RedisOutbox redis = Redis.connect(uri, name);
        opened.add(redis);
        return redis;
    }

    private RedisOutbox connect() {
        return connect(Redis.uri(Redis.server()));
    }

    private Outbox writer(RedisOutbox redis) {
        return opened(Outbox.writerOnly()
                .backend(redis.backend())
                .wakeUp(redis.wakeUp())
                .build());
    }

    private Outbox deliverer(RedisOutbox redis, long intervalMs) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Hinted", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        Outbox outbox = opened(Outbox.multiNode()
                .backend(redis.backend())
                .wakeUp(redis.wakeUp())
                .claimLocking(Duration.ofMinutes(5))
                .listenerRegistry(listeners)
                .intervalMs(intervalMs)
                .build());
        await().atMost(PATIENCE).until(redis.wakeUp()::isConnected);
        return outbox;
    }

    private Outbox opened(Outbox outbox) {
        opened.add(outbox);
        return outbox;
    }

    private void awaitDelivery(String id) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).contains(id));
    }

    private static EventEnvelope event() {
        return EventEnvelope.ofJson("Hinted", "{}");
    }

    @Test
    void whatAnotherProcessWritesIsDeliveredAtOnce() {
        deliverer(connect(), NEVER_MS);
        Outbox writer = writer(connect());

        for (int i = 0; i < 20; i++) {
            awaitDelivery(writer.writer().write(event()));
        }
    }

    @Test
    void aReplayElsewhereIsDeliveredAtOnce() {
        RedisOutbox redis = connect();
        Outbox writer = writer(redis);
        String id = writer.writer().write(event());
        redis.backend().apply(null, List.of(new Outcome.Dead(id, "not yet")));
        deliverer(connect(), NEVER_MS);

        assertThat(writer.deadEvents().replay(id)).isTrue();

        awaitDelivery(id);
    }

    @Test
    void whatANodeHasNoListenerForIsDeliveredByAnotherAtOnce() {
        RedisOutbox deaf = connect();
        DefaultListenerRegistry none = new DefaultListenerRegistry();
        Outbox writing = opened(Outbox.multiNode()
                .backend(deaf.backend())
                .wakeUp(deaf.wakeUp())
                .claimLocking(Duration.ofMinutes(5))
                .listenerRegistry(none)
                .intervalMs(NEVER_MS)
                .build());
        deliverer(connect(), NEVER_MS);

        awaitDelivery(writing.writer().write(event()));
    }

    @Test
    void aLostHintCostsThePollInterval() {
        deliverer(connect(), 300);
        Outbox silent = opened(Outbox.writerOnly().backend(connect().backend()).build());

        awaitDelivery(silent.writer().write(event()));
    }

    @Test
    void aListenerThatConnectsAgainIsCalledForWhatItMissed() {
        try (TcpProxy proxy = TcpProxy.start(Redis.server().port())) {
            RedisOutbox redis = connect(Redis.uri(Redis.server(), proxy.port()));
            deliverer(redis, NEVER_MS);
            Outbox writer = writer(connect());
            awaitDelivery(writer.writer().write(event()));

            proxy.refuse();
            proxy.resetAll();
            await().atMost(PATIENCE).until(() -> !redis.wakeUp().isConnected());
            String missed = writer.writer().write(event());
            proxy.accept();

            awaitDelivery(missed);
            awaitDelivery(writer.writer().write(event()));
        }
    }

    @Test
    void hintsLeaveAConnectionThatDoesNotAnswer() {
        try (TcpProxy proxy = TcpProxy.start(Redis.server().port())) {
            RedisURI uri = Redis.uri(Redis.server(), proxy.port());
            uri.setTimeout(Duration.ofSeconds(1));
            RedisOutbox sending = connect(uri);
            AtomicInteger hints = new AtomicInteger();
            connect().wakeUp().listen(types -> hints.incrementAndGet());
            await().atMost(PATIENCE).until(() -> hints.get() == 1);
            assertThat(proxy.connections()).isEqualTo(1);

            proxy.stall();
            await().atMost(PATIENCE).until(() -> {
                sending.wakeUp().signal(Set.of("Any"));
                return proxy.connections() > 1;
            });
            proxy.resume();

            int before = hints.get();
            await().atMost(PATIENCE).until(() -> {
                sending.wakeUp().signal(Set.of("Any"));
                return hints.get() > before + 1;
            });
        }
    }

    @Test
    void aSubscriptionThatIsOnlySilentIsMadeAgain() {
        try (TcpProxy proxy = TcpProxy.start(Redis.server().port())) {
            RedisURI uri = Redis.uri(Redis.server(), proxy.port());
            uri.setTimeout(Duration.ofSeconds(1));
            RedisOutbox redis = connect(uri);
            AtomicInteger hints = new AtomicInteger();
            redis.wakeUp().listen(types -> hints.incrementAndGet());
            await().atMost(PATIENCE).until(() -> hints.get() == 1);

            proxy.stall();
            await().atMost(PATIENCE).until(() -> !redis.wakeUp().isConnected());
            proxy.resume();

            await().atMost(PATIENCE).until(() -> redis.wakeUp().isConnected() && hints.get() == 2);
        }
    }

    /** Shows that hints do it and not polls; how fast the machine is, is for the benchmark to say. */
    @Test
    void whatAnotherNodeWritesIsThereWithinMillisecondsThoughPollsAreRare() {
        deliverer(connect(), Duration.ofMinutes(1).toMillis());
        Outbox writer = writer(connect());
        List<Long> millis = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            long start = System.nanoTime();
            String id = writer.writer().write(event());
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .atMost(PATIENCE)
                    .until(() -> delivered.contains(id));
            millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }

        Collections.sort(millis);
        assertThat(millis.get(100)).as("median of %s", millis).isLessThan(50);
    }

    @Test
    void aStormOfWritesIsFewMessages() {
        RedisOutbox receiving = connect();
        AtomicInteger messages = new AtomicInteger();
        List<Set<String>> types = new CopyOnWriteArrayList<>();
        receiving.wakeUp().listen(hint -> {
            messages.incrementAndGet();
            types.add(hint);
        });
        await().atMost(PATIENCE).until(() -> messages.get() == 1);
        Outbox writer = writer(connect());

        long start = System.nanoTime();
        for (int i = 0; i < 500; i++) {
            writer.writer().write(event());
        }
        writer.writer().write(EventEnvelope.ofJson("Last", "{}"));
        long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(types).anyMatch(hint -> hint.contains("Last")));
        assertThat(messages.get()).isLessThanOrEqualTo((int) (tookMs / 5) + 4);
    }

    @Test
    void messagesThatNobodyOfOursHasSentDoNoHarm() {
        deliverer(connect(), NEVER_MS);
        String channel = "{" + name + "}:outbox:wake-up";
        for (String message : new String[] {"", "\n", "A\nA", "\n\nHinted\n", "x".repeat(1_000_000)}) {
            assertThat(Redis.commands().publish(channel, message)).isEqualTo(1);
        }

        awaitDelivery(writer(connect()).writer().write(event()));
    }

    @Test
    void whoeverHasClosedIsCalledNoMore() {
        RedisOutbox redis = connect();
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        var closed = redis.wakeUp().listen(types -> first.incrementAndGet());
        redis.wakeUp().listen(types -> second.incrementAndGet());
        await().atMost(PATIENCE).until(() -> first.get() == 1);
        closed.close();
        int before = second.get();

        redis.wakeUp().signal(Set.of("Any"));

        await().atMost(PATIENCE).until(() -> second.get() > before);
        assertThat(first).hasValue(1);
    }
}
