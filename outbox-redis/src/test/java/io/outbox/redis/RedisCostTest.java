package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.DueEvent;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import io.outbox.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What the server does for a batch in a small outbox, and in one that is fifty times as large: as many commands but for
 * bisections, and about as long. Both hold pending, finished and dead events, and locks of which some have run out.
 */
class RedisCostTest {

    private static final int SMALL = 2_000;
    private static final int LARGE = 100_000;
    private static final int BATCH = 50;
    private static final int TIMES = 5;
    private static final int WRITE_BATCH = 1_000;
    private static final Duration HOUR = Duration.ofHours(1);

    /** How far a claim looks for locks that have run out, and some more for the rest of what it does. */
    private static final int MOST_CALLS = 1_000 + BATCH + 100;

    private static final int BISECTIONS = 60;
    private static final Pattern STATISTICS = Pattern.compile("cmdstat_(\\w+):calls=(\\d+),usec=(\\d+)");

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.create(Redis.RESOURCES, Redis.uri(server));
    private final RedisCommands<String, String> commands = client.connect().sync();

    private record Cost(int calls, int micros) {}

    @AfterEach
    void end() {
        client.shutdown();
        server.close();
    }

    @Test
    void theCostOfABatchDoesNotGrowWithTheOutbox() {
        Map<String, Cost> small = costs("small", SMALL);
        Map<String, Cost> large = costs("large", LARGE);

        small.forEach((operation, cost) -> {
            assertThat(large.get(operation).calls)
                    .as("%s, commands: %s and %s", operation, cost, large.get(operation))
                    .isLessThanOrEqualTo(cost.calls + BISECTIONS);
            assertThat(large.get(operation).micros)
                    .as("%s, time: %s and %s", operation, cost, large.get(operation))
                    .isLessThan(10 * cost.micros + 1_000);
        });
    }

    /** The lock that has run out comes behind more live ones than a claim looks at. */
    @Test
    void aClaimLooksAtSoManyLiveLocksAndNotAtAll() {
        try (RedisOutbox redis = Redis.connect(Redis.uri(server), "locks")) {
            OutboxBackend backend = redis.backend();
            Instant now = backend.currentTime();
            store(backend, 1, "gone", now);
            Instant locked = backend.currentTime().plusNanos(1_000);
            store(backend, LARGE / 10, "alive", now.minus(HOUR));

            Cost cost = cost(() -> {
                Instant asOf = backend.currentTime();
                Lease lease = new Lease("node", Duration.between(locked, asOf));
                assertThat(backend.claim(ClaimRequest.first(lease, asOf, BATCH)).events())
                        .isEmpty();
            });

            assertThat(cost.calls).isBetween(MOST_CALLS - 2 * BATCH, MOST_CALLS);
        }
    }

    @Test
    void deadEventsOfARareTypeAreFoundWithoutReadingTheOthers() {
        try (RedisOutbox redis = Redis.connect(Redis.uri(server), "rare")) {
            OutboxBackend backend = redis.backend();
            List<String> common = store(backend, SMALL, null, Instant.now());
            EventEnvelope rare = EventEnvelope.ofJson("Rare", "{}");
            backend.persist(List.of(new NewEvent(rare, null)));
            common.add(rare.eventId());
            backend.apply(null, outcomes(common, id -> new Outcome.Dead(id, "no")));
            DeadQuery query = new DeadQuery("Rare", null, BATCH, null);
            assertThat(backend.queryDead(query).items())
                    .extracting(OutboxEvent::eventId)
                    .containsExactly(rare.eventId());

            commands.configResetstat();
            backend.queryDead(query);

            assertThat(commands.info("stats"))
                    .as("bytes sent, of which %d events would be many times as many", SMALL)
                    .containsPattern("total_net_output_bytes:\\d{1,4}\\D");
        }
    }

    private Map<String, Cost> costs(String name, int events) {
        try (RedisOutbox redis = Redis.connect(Redis.uri(server), name)) {
            OutboxBackend backend = redis.backend();
            fill(backend, events);
            Map<String, Cost> costs = new LinkedHashMap<>();
            operations(backend).forEach((operation, work) -> costs.put(operation, cost(work)));
            return costs;
        }
    }

    private static Map<String, Runnable> operations(OutboxBackend backend) {
        Map<String, Runnable> operations = new LinkedHashMap<>();
        List<String> held = new ArrayList<>();
        operations.put("append", () -> store(backend, BATCH, null, Instant.now()));
        operations.put("claim", () -> held.addAll(claim(backend, HOUR)));
        operations.put("renew", () -> backend.renew("node", held.subList(0, BATCH)));
        operations.put("release", () -> backend.release("node", next(held)));
        operations.put("claim of what others have lost", () -> held.addAll(claim(backend, Duration.ofMillis(1))));
        operations.put("fetch", () -> backend.fetch(FetchRequest.first(Instant.now(), BATCH)));
        operations.put(
                "outcomes", () -> backend.apply(null, outcomes(next(held), id -> new Outcome.Done(id, Instant.now()))));
        operations.put("purge", () -> backend.purge(Instant.now().plus(HOUR), BATCH));
        operations.put("next due time", () -> backend.nextDueAt(Instant.now()));
        operations.put("backlog", () -> backend.pending(Instant.now()));
        operations.put("dead events", () -> backend.queryDead(new DeadQuery(null, null, BATCH, null)));
        return operations;
    }

    private static List<String> claim(OutboxBackend backend, Duration lease) {
        ClaimRequest request = ClaimRequest.first(new Lease("node", lease), backend.currentTime(), BATCH);
        List<String> ids = backend.claim(request).events().stream()
                .map(DueEvent::event)
                .map(event -> event.eventId())
                .toList();
        assertThat(ids).hasSize(BATCH);
        return ids;
    }

    private static List<String> next(List<String> held) {
        List<String> batch = List.copyOf(held.subList(0, BATCH));
        held.subList(0, BATCH).clear();
        return batch;
    }

    private static List<Outcome> outcomes(List<String> ids, Function<String, Outcome> outcome) {
        return ids.stream().map(outcome).toList();
    }

    /** Seven in ten wait, and one each is held, done and dead. */
    private static void fill(OutboxBackend backend, int events) {
        Instant before = Instant.now().minus(HOUR);
        store(backend, events / 10, "gone", before);
        store(backend, events * 7 / 10, null, before);
        List<String> done = store(backend, events / 10, null, before);
        List<String> dead = store(backend, events / 10, null, before);
        for (int i = 0; i < done.size(); i += WRITE_BATCH) {
            int end = Math.min(done.size(), i + WRITE_BATCH);
            backend.apply(null, outcomes(done.subList(i, end), id -> new Outcome.Done(id, before)));
            backend.apply(null, outcomes(dead.subList(i, end), id -> new Outcome.Dead(id, "no")));
        }
    }

    private static List<String> store(OutboxBackend backend, int count, String owner, Instant created) {
        List<String> ids = new ArrayList<>(count);
        for (int from = 0; from < count; from += WRITE_BATCH) {
            List<NewEvent> batch = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + WRITE_BATCH); i++) {
                EventEnvelope event = EventEnvelope.builder("Any")
                        .occurredAt(created.plusNanos(i * 1_000L))
                        .payloadJson("{}")
                        .build();
                ids.add(event.eventId());
                batch.add(new NewEvent(event, owner));
            }
            backend.persist(batch);
        }
        return ids;
    }

    /** Returns the most commands that a script calls for the work, and the least time that it takes. */
    private Cost cost(Runnable work) {
        work.run(); // the server may not know the script yet
        int calls = 0;
        int micros = Integer.MAX_VALUE;
        for (int i = 0; i < TIMES; i++) {
            commands.configResetstat();
            work.run();
            Map<String, Cost> statistics = statistics();
            micros = Math.min(micros, statistics.getOrDefault("evalsha", new Cost(0, 0)).micros);
            statistics.keySet().removeAll(List.of("evalsha", "eval", "info", "config", "time"));
            calls = Math.max(
                    calls, statistics.values().stream().mapToInt(Cost::calls).sum());
        }
        return new Cost(calls, micros);
    }

    private Map<String, Cost> statistics() {
        Map<String, Cost> found = new LinkedHashMap<>();
        Matcher lines = STATISTICS.matcher(commands.info("commandstats"));
        while (lines.find()) {
            found.put(lines.group(1), new Cost(Integer.parseInt(lines.group(2)), Integer.parseInt(lines.group(3))));
        }
        return found;
    }
}
