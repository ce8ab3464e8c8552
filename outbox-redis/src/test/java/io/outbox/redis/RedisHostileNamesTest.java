package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;

/** Names that are part of keys, patterns and messages, and mean something to Redis or Lua. */
class RedisHostileNamesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final List<String> TEXTS = List.of(
            ":",
            "{x}",
            "}{",
            "a:outbox:free:b",
            "line\nfeed",
            "\nfeed\n",
            "*?[a-z]",
            "%s %0.f %%",
            "]] .. error() --",
            "\u0001\u007f\u0080",
            "Grüße 世界 🎈",
            "nil",
            "-1",
            "1e308");

    private static List<EventEnvelope> hostile() {
        List<EventEnvelope> events = new ArrayList<>();
        for (String text : TEXTS) {
            int number = events.size();
            events.add(EventEnvelope.builder(text)
                    .eventId(number + text)
                    .aggregateType(text)
                    .aggregateId(number % 2 == 0 ? "" : text)
                    .tenantId(number % 2 == 0 ? text : "")
                    .header(text, text)
                    .payloadJson(text)
                    .build());
        }
        return events;
    }

    private static List<Object> parts(EventEnvelope event) {
        return Arrays.asList(
                event.eventType(),
                event.aggregateType(),
                event.aggregateId(),
                event.tenantId(),
                event.headers(),
                event.payloadJson());
    }

    @Test
    void textsComeBackAsTheyWereWhicheverWayTheyAreWritten() {
        String name = Redis.newName() + ":free.a_-";
        Map<String, EventEnvelope> delivered = new ConcurrentHashMap<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        for (String text : TEXTS) {
            listeners.register(text, text, event -> {
                delivered.put(event.eventId(), event);
                return DispatchResult.done();
            });
        }
        List<EventEnvelope> events = hostile();
        try (RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
                Outbox delivering = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking("node \n{1}:", PATIENCE)
                        .listenerRegistry(listeners)
                        .build();
                Outbox writing = Outbox.writerOnly()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .build()) {
            for (int i = 0; i < events.size(); i++) {
                EventEnvelope event = events.get(i);
                switch (i % 3) {
                    case 0 -> writing.writer().write(event);
                    case 1 -> redis.inTransaction(commands -> writing.writer().write(event));
                    default ->
                        redis.runScript(
                                "return ARGV[1]",
                                List.of(),
                                List.of(event.eventType()),
                                () -> writing.writer().write(event));
                }
            }

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).hasSize(events.size()));
            assertThat(events)
                    .allSatisfy(event ->
                            assertThat(parts(delivered.get(event.eventId()))).isEqualTo(parts(event)));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(delivering.counts()).isEmpty());
            Layout.of(Redis.commands(), name).assertConsistent();
        }
    }

    @Test
    void deadEventsAreCountedReplayedAndPurgedByType() {
        try (RedisOutbox redis = Redis.newOutbox();
                Outbox writing = Outbox.writerOnly().backend(redis.backend()).build()) {
            List<EventEnvelope> events = hostile();
            writing.writer().writeAll(events);
            events.forEach(event ->
                    redis.backend().apply(null, List.of(new Outcome.Dead(event.eventId(), event.eventType()))));

            assertThat(events)
                    .allSatisfy(event -> assertThat(writing.deadEvents().count(event.eventType()))
                            .isEqualTo(1));
            EventEnvelope again = events.get(0);
            assertThat(writing.deadEvents().replay(again.eventId())).isTrue();
            assertThat(redis.backend().counts()).containsExactly(new EventCount(again.eventType(), 1, 0));
            assertThat(redis.backend().purge(Instant.now().plusSeconds(60), 1_000))
                    .isEqualTo(events.size() - 1);
            assertThat(writing.deadEvents().count(null)).isZero();
        }
    }

    @Test
    void outboxesWhoseNamesAreAlikeAreStrangers() {
        String name = Redis.newName();
        try (RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
                RedisOutbox other = Redis.connect(Redis.uri(Redis.server()), name + ":outbox");
                Outbox writing = Outbox.writerOnly().backend(redis.backend()).build()) {
            writing.writer().write("Any", "{}");

            assertThat(other.backend().counts()).isEmpty();
        }
    }
}
