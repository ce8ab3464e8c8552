package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Ordering.OnExhausted;
import io.outbox.Outbox;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.EventTypes;
import io.outbox.spi.KeyedRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.Outcome;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Entries that are damaged or half gone, and scripts that cannot run to their end, keep nobody from the other events.
 */
class RedisDamageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String[] RIGHTS = {
        "hset", "hdel", "zadd", "zrem", "sadd", "srem", "hincrby", "hmget", "time", "set", "get"
    };
    private static final KeyedRequest KEYED = new KeyedRequest(
            new Lease("node", Duration.ofHours(1)),
            Instant.now().plusSeconds(3600),
            Instant.EPOCH,
            LostClaims.NONE,
            EventTypes.ALL,
            List.of("k"),
            new KeyedRequest.Limit(1, 1));

    private final String name = Redis.newName();
    private final String prefix = "{" + name + "}:outbox:";
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final OutboxBackend backend = redis.backend();
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();

    @AfterEach
    void close() {
        redis.close();
    }

    private List<String> write(int count) {
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
            backend.persist(List.of(new NewEvent(event, null)));
            ids.add(event.eventId());
        }
        return ids;
    }

    private DefaultListenerRegistry listeners() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Placed", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        return listeners;
    }

    private Outbox severalNodes() {
        return Outbox.multiNode()
                .backend(backend)
                .claimLocking(PATIENCE)
                .listenerRegistry(listeners())
                .intervalMs(50)
                .build();
    }

    private Outbox singleNode() {
        return Outbox.singleNode()
                .backend(backend)
                .ordering(Ordering.byKey().onExhausted(OnExhausted.SKIP))
                .listenerRegistry(listeners())
                .intervalMs(50)
                .build();
    }

    // Damaged entries

    @Test
    void damagedEntriesKeepSeveralNodesFromNothing() {
        damagedEntriesKeepNobodyFromTheOthers(this::severalNodes);
    }

    @Test
    void damagedEntriesKeepASingleNodeFromNothing() {
        damagedEntriesKeepNobodyFromTheOthers(this::singleNode);
    }

    /** What has lost its state is delivered from what is left; what has lost its body is dead, named and shown. */
    private void damagedEntriesKeepNobodyFromTheOthers(Supplier<Outbox> delivering) {
        List<String> ids = write(50);
        Redis.commands().hdel(prefix + "event", ids.get(0), ids.get(4));
        Redis.commands().hdel(prefix + "body", ids.get(1), ids.get(4));
        Redis.commands().hset(prefix + "event", ids.get(2), "no event");
        Redis.commands().hset(prefix + "body", ids.get(3), "no body");
        List<String> dead = List.of(ids.get(1), ids.get(3), ids.get(4));
        List<String> deliverable = new ArrayList<>(ids);
        deliverable.removeAll(dead);

        try (Outbox outbox = delivering.get()) {
            await().atMost(PATIENCE).untilAsserted(() -> {
                assertThat(delivered).containsExactlyInAnyOrderElementsOf(deliverable);
                assertThat(outbox.counts()).isEmpty();
            });
        }

        assertThat(backend.countDead("Placed")).isEqualTo(dead.size());
        assertThat(backend.queryDead(new DeadQuery(null, null, 10, null)).items())
                .extracting(OutboxEvent::eventId)
                .containsExactlyElementsOf(dead);
        redis.repair(step -> {});
        Layout.of(Redis.commands(), name).assertConsistent();
    }

    @Test
    void anEventThatIsHeldWithoutALockIsClaimed() {
        List<String> ids = write(2);
        claim();
        Redis.commands().del(prefix + "locks:Placed");

        assertThat(claim()).containsExactlyElementsOf(ids);
    }

    private List<String> claim() {
        return backend
                .claim(ClaimRequest.first(new Lease("node", Duration.ofHours(1)), backend.currentTime(), 10))
                .events()
                .stream()
                .map(event -> event.eventId())
                .toList();
    }

    @Test
    void aTypeWithoutEventsIsPassedOver() {
        Redis.commands().sadd(prefix + "types", "Gone");

        assertThat(backend.lookByType(List.of(), Instant.now()).types()).isEmpty();
        assertThat(backend.pending(Instant.now())).isEmpty();
    }

    @Test
    void deadEventsWithoutTheirStateAreShownAndPurged() {
        List<String> ids = write(3);
        backend.apply(null, List.of(new Outcome.Dead(ids.get(0), "no"), new Outcome.Dead(ids.get(1), "no")));
        Redis.commands().hdel(prefix + "event", ids.get(0));

        DeadQuery all = new DeadQuery(null, null, 10, null);
        assertThat(backend.queryDead(all).items()).hasSize(1);
        assertThat(backend.queryDead(all).items())
                .extracting(OutboxEvent::eventId)
                .contains(ids.get(0));
        Redis.commands().hdel(prefix + "event", ids.get(1));
        assertThat(backend.purge(Instant.now().plusSeconds(60), 10)).isEqualTo(2);
        assertThat(backend.countDead(null)).isZero();
    }

    // Rights

    private RedisURI user(String more) {
        CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        words.addValues((name + " reset on >secret ~* &* +@all " + more).strip().split(" "));
        Redis.commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), words);
        RedisURI uri = RedisURI.create(
                "redis://" + name + ":secret@127.0.0.1:" + Redis.server().port());
        uri.setTimeout(PATIENCE);
        return uri;
    }

    /** As when rights are changed in two steps. */
    @Test
    void aRightThatIsMissingForAMomentLeavesNothingHalfWritten() {
        try (RedisOutbox limited = Redis.connect(user(""), name)) {
            OutboxBackend theirs = limited.backend();
            for (String right : RIGHTS) {
                List<String> ids = write(6);
                List<String> held = claim();
                backend.apply(null, List.of(new Outcome.Dead(ids.get(5), "no")));
                user("-" + right);
                List<Runnable> operations = List.of(
                        () -> theirs.persist(List.of(event(null))),
                        () -> theirs.persist(List.of(event("node"))),
                        () -> theirs.persist(List.of(event(null), event("node"))),
                        () -> theirs.persist(List.of(event(null).withOrderKey("k"))),
                        () -> theirs.persist(List.of(event(null).withOrderKey("k"), event(null))),
                        () -> theirs.claimKeyed(KEYED),
                        () -> limited.runScript(
                                "return 1", List.of(), List.of(), () -> theirs.persist(List.of(event(null)))),
                        () -> limited.inTransaction(commands -> theirs.persist(List.of(event(null)))),
                        () -> theirs.claim(ClaimRequest.first(
                                new Lease("other", Duration.ofHours(1)),
                                Instant.now().plusSeconds(60),
                                10)),
                        () -> theirs.apply("node", List.of(new Outcome.Done(held.get(0), Instant.now()))),
                        () -> theirs.apply("node", List.of(new Outcome.Failed(held.get(1), Instant.now(), 0, 9, "no"))),
                        () -> theirs.apply("node", List.of(new Outcome.Dead(held.get(2), "no"))),
                        () -> theirs.release("node", held),
                        () -> theirs.replayDead(List.of(ids.get(5))),
                        () -> theirs.purge(Instant.now().plusSeconds(60), 10));
                for (Runnable operation : operations) {
                    attempt(operation);
                    Layout.of(Redis.commands(), name).assertConsistent();
                }
                user("");
            }
            write(20);
        }
        try (Outbox outbox = singleNode()) {
            await().atMost(PATIENCE).until(() -> outbox.counts().isEmpty());
        }
    }

    private static NewEvent event(String owner) {
        return new NewEvent(EventEnvelope.ofJson("Other", "{}"), owner);
    }

    private static void attempt(Runnable operation) {
        try {
            operation.run();
        } catch (RedisOutboxException e) {
            assertThat(e.getMessage()).containsAnyOf("NOPERM", "can't run this command", "no permissions");
        }
    }

    @Test
    void anAppendThatWasRefusedStandsInNobodysWay() {
        try (RedisOutbox limited = Redis.connect(user(""), name)) {
            user("-hset");
            NewEvent refused = new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null);
            assertThatThrownBy(() -> limited.backend().persist(List.of(refused)))
                    .isInstanceOf(RedisOutboxException.class);
            user("");
        }
        List<String> ids = write(20);

        try (Outbox outbox = severalNodes()) {
            await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).containsAll(ids));
            assertThat(outbox.counts()).isEmpty();
        }
    }
}
