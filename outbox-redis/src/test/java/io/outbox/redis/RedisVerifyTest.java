package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.api.sync.RedisCommands;
import io.outbox.EventEnvelope;
import io.outbox.redis.RedisOutbox.Verification;
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
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An outbox with two events of each kind, in which each invariant of the layout is broken by hand, found and mended.
 */
class RedisVerifyTest {

    private final String name = Redis.newName();
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final OutboxBackend backend = redis.backend();
    private final RedisCommands<String, String> commands = Redis.commands();
    private List<String> free;
    private List<String> held;
    private List<String> done;
    private List<String> dead;
    private List<String> ordered;

    @BeforeEach
    void fill() {
        held = write(2);
        claim();
        free = write(2);
        done = write(2);
        dead = write(2);
        done.forEach(id -> backend.apply(null, List.of(new Outcome.Done(id, Instant.now()))));
        dead.forEach(id -> backend.apply(null, List.of(new Outcome.Dead(id, "no"))));
        ordered = writeOrdered();
    }

    /** Two free events that keep the order of a key, one that is held, and one that has failed for good. */
    private List<String> writeOrdered() {
        List<NewEvent> events = new ArrayList<>();
        for (String key : List.of("free", "free", "held", "parked")) {
            events.add(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null).withOrderKey(key));
        }
        backend.persist(events);
        List<String> ids = events.stream().map(event -> event.event().eventId()).toList();
        backend.claimKeyed(new KeyedRequest(
                new Lease("node", Duration.ofHours(1)),
                Instant.now().plusSeconds(60),
                Instant.EPOCH,
                LostClaims.NONE,
                EventTypes.ALL,
                List.of("held"),
                new KeyedRequest.Limit(1, 1)));
        backend.apply(null, List.of(new Outcome.Failed(ids.get(3), KeyHead.PARKED_UNTIL, 0, Integer.MAX_VALUE, "no")));
        return ids;
    }

    @AfterEach
    void close() {
        redis.close();
    }

    private List<String> write(int count) {
        List<NewEvent> events = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            events.add(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null));
        }
        backend.persist(events);
        return events.stream().map(event -> event.event().eventId()).toList();
    }

    private List<String> claim() {
        ClaimRequest request = ClaimRequest.first(new Lease("node", Duration.ofHours(1)), backend.currentTime(), 100);
        return backend.claim(request).events().stream()
                .map(event -> event.eventId())
                .toList();
    }

    private String key(String suffix) {
        return "{" + name + "}:outbox:" + suffix;
    }

    private String member(String set, String id) {
        return commands.zrange(key(set), 0, -1).stream()
                .filter(member -> member.endsWith(id))
                .findFirst()
                .orElseThrow();
    }

    private record Damage(String what, Consumer<RedisVerifyTest> doing, String fault) {}

    static Stream<Arguments> damages() {
        return Stream.of(
                        new Damage("no body", test -> test.hdel("body", test.free.get(0)), "no body"),
                        new Damage("no event", test -> test.hdel("event", test.free.get(0)), "no event in free:Placed"),
                        new Damage(
                                "a held one gone", test -> test.hdel("event", test.held.get(0)), "no event in held:"),
                        new Damage("a done one gone", test -> test.hdel("event", test.done.get(0)), "no event in done"),
                        new Damage("a dead one gone", test -> test.hdel("event", test.dead.get(0)), "no event in dead"),
                        new Damage(
                                "a state that is none",
                                test -> test.commands.hset(test.key("event"), test.free.get(0), "x"),
                                "not readable"),
                        new Damage("no place", test -> test.zrem("free:Placed", test.free.get(0)), "missing in free:"),
                        new Damage("not held", test -> test.zrem("held:Placed", test.held.get(0)), "missing in held:"),
                        new Damage("no lock", test -> test.zrem("locks:Placed", test.held.get(0)), "missing in locks:"),
                        new Damage(
                                "not done",
                                test -> test.commands.zrem(test.key("done"), test.done.get(0)),
                                "missing in done"),
                        new Damage("not dead", test -> test.zrem("dead", test.dead.get(0)), "missing in dead"),
                        new Damage(
                                "in two places",
                                test -> test.commands.zadd(
                                        test.key("free:Placed"), 1, test.member("held:Placed", test.held.get(0))),
                                "wrongly in free:"),
                        new Damage(
                                "another due time",
                                test -> test.commands.zadd(
                                        test.key("free:Placed"), 1, test.member("free:Placed", test.free.get(0))),
                                "wrong score in free:"),
                        new Damage(
                                "under another type",
                                test -> {
                                    test.commands.zadd(
                                            test.key("free:Other"), 1, test.member("free:Placed", test.free.get(0)));
                                    test.commands.sadd(test.key("types"), "Other");
                                },
                                "another event in free:Other"),
                        new Damage(
                                "a body alone",
                                test -> test.commands.hset(test.key("body"), "orphan", ",,,,{}"),
                                "a body without an event"),
                        new Damage("no types", test -> test.commands.del(test.key("types")), "type is not listed"),
                        new Damage(
                                "a type too many",
                                test -> test.commands.sadd(test.key("types"), "Gone"),
                                "a type without events"),
                        new Damage(
                                "a wrong number",
                                test -> test.commands.hset(test.key("deadcount"), "Placed", "7"),
                                "wrong number of dead events"),
                        new Damage("all states gone", test -> test.commands.del(test.key("event")), "no event in"),
                        new Damage(
                                "states and types gone",
                                test -> test.commands.del(test.key("event"), test.key("types")),
                                "no event in"),
                        new Damage("all bodies gone", test -> test.commands.del(test.key("body")), "no body"),
                        new Damage("free ones gone", test -> test.commands.del(test.key("free:Placed")), "missing in"),
                        new Damage("locks gone", test -> test.commands.del(test.key("locks:Placed")), "missing in"),
                        new Damage(
                                "no event in order",
                                test -> test.hdel("event", test.ordered.get(0)),
                                "no event in keyed:Placed"),
                        new Damage(
                                "no event in order, of a type that is not known",
                                test -> {
                                    test.hdel("event", test.ordered.get(0));
                                    test.zrem("keyed:Placed", test.ordered.get(0));
                                },
                                "no event in order"),
                        new Damage("a parked one gone", test -> test.hdel("event", test.ordered.get(3)), "no event in"),
                        new Damage("not in order", test -> test.zrem("order", test.ordered.get(1)), "missing in order"),
                        new Damage(
                                "no due time",
                                test -> test.zrem("keyed:Placed", test.ordered.get(1)),
                                "missing in keyed:"),
                        new Damage(
                                "no lock of a key",
                                test -> test.zrem("keylocks:Placed", test.ordered.get(2)),
                                "missing in keylocks:"),
                        new Damage("not parked", test -> test.zrem("parked", test.ordered.get(3)), "missing in parked"),
                        new Damage(
                                "parked too early",
                                test -> test.commands.zadd(
                                        test.key("parked"), 1, test.member("order", test.ordered.get(0))),
                                "wrongly in parked"),
                        new Damage(
                                "in order twice",
                                test -> test.commands.zadd(
                                        test.key("order"), 0, "free\0" + "0000000000000001" + test.ordered.get(0)),
                                "another event in order"),
                        new Damage(
                                "without an order in it",
                                test -> test.commands.zadd(
                                        test.key("order"), 0, "free\0" + "0000000000000001" + test.free.get(0)),
                                "another event in order"),
                        new Damage(
                                "nonsense in order",
                                test -> test.commands.zadd(test.key("order"), 0, "nonsense"),
                                "no event in order"),
                        new Damage("order gone", test -> test.commands.del(test.key("order")), "missing in order"),
                        new Damage("number gone", test -> test.commands.del(test.key("number")), "the last number"),
                        new Damage(
                                "types in order gone",
                                test -> test.commands.del(test.key("keyedtypes")),
                                "type is not listed"),
                        new Damage(
                                "a type in order too many",
                                test -> test.commands.sadd(test.key("keyedtypes"), "Gone"),
                                "a type without events"))
                .map(damage -> Arguments.of(damage.what, damage));
    }

    private void hdel(String hash, String id) {
        commands.hdel(key(hash), id);
    }

    private void zrem(String set, String id) {
        commands.zrem(key(set), member(set, id));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("damages")
    void isFoundAndMended(String what, Damage damage) {
        damage.doing.accept(this);

        Verification found = redis.verify(step -> {});
        assertThat(found.isSound()).isFalse();
        assertThat(found.faults()).anyMatch(fault -> fault.contains(damage.fault));
        assertThat(redis.verify(step -> {}).faults()).as("nothing was changed").isEqualTo(found.faults());

        redis.repair(step -> {});
        assertThat(redis.verify(step -> {}).faults()).isEmpty();
        Layout.of(commands, name).assertConsistent();
        assertThat(redis.mendedEntries()).isPositive();
    }

    @Test
    void whatWaitsIsDeliverableAfterItsStatesWereLost() {
        commands.del(key("event"));

        redis.repair(step -> {});

        assertThat(claim()).containsAll(free).containsAll(held).doesNotContainAnyElementsOf(done);
        assertThat(backend.keyHeads("", 10))
                .extracting(KeyHead::eventId)
                .containsExactly(ordered.get(0), ordered.get(2), ordered.get(3));
    }

    @Test
    void aSoundOutboxIsComparedInStepsAndNotChanged() {
        write(3_000);
        List<Verification> steps = new ArrayList<>();

        Verification result = redis.repair(steps::add);

        assertThat(result.isSound()).isTrue();
        assertThat(result.checked()).isGreaterThanOrEqualTo(2 * 3_000);
        assertThat(steps).hasSizeGreaterThan(10).endsWith(result);
        assertThat(redis.mendedEntries()).isZero();
    }
}
