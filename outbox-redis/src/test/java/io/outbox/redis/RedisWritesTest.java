package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.DispatchResult;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import io.outbox.testing.StoredEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The three ways to write: alone, with commands, with a script. */
class RedisWritesTest {

    private static final long NEVER_MS = 3_600_000;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name = Redis.newName();
    private final String order = "{" + name + "}:order";
    private final RedisOutbox redis = Redis.connect(Redis.uri(Redis.server()), name);
    private final List<String> delivered = new CopyOnWriteArrayList<>();
    private Outbox outbox;
    private OutboxWriter writer;

    /** Nothing but the hot path delivers. */
    @BeforeEach
    void start() {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Placed", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        outbox = Outbox.singleNode()
                .backend(redis.backend())
                .listenerRegistry(listeners)
                .intervalMs(NEVER_MS)
                .build();
        writer = outbox.writer();
    }

    @AfterEach
    void end() {
        outbox.close();
        Layout.of(Redis.commands(), name).assertConsistent();
        redis.close();
    }

    private static EventEnvelope event() {
        return EventEnvelope.ofJson("Placed", "{}");
    }

    private Optional<StoredEvent> stored(String eventId) {
        return StoredEvents.find(Redis.commands(), name, eventId);
    }

    private void awaitDelivery(String eventId) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).contains(eventId));
    }

    private String state() {
        return Redis.commands().get(order);
    }

    private TransactionEnd endOf(Runnable work) {
        List<TransactionEnd> ends = new ArrayList<>();
        try {
            redis.inTransaction(commands -> {
                redis.backend().afterCompletion(ends::add);
                work.run();
            });
        } catch (RuntimeException e) {
            // the end is what counts
        }
        assertThat(ends).hasSize(1);
        return ends.get(0);
    }

    // Alone

    @Test
    void anEventThatIsWrittenAloneIsDeliveredRightAway() {
        String id = writer.write(event());

        awaitDelivery(id);
    }

    // With commands

    @Test
    void commandsAndEventsTakeEffectTogether() {
        List<String> before = new ArrayList<>();

        String id = redis.callInTransaction(commands -> {
            commands.set(order, "placed");
            String written = writer.write(event());
            before.add(state());
            before.add(stored(written).map(StoredEvent::eventId).orElse(null));
            return written;
        });

        assertThat(before).containsExactly(null, null);
        assertThat(state()).isEqualTo("placed");
        assertThat(stored(id)).isPresent();
        awaitDelivery(id);
    }

    @Test
    void answersToCommandsAreThereWhenTheTransactionHasEnded() throws Exception {
        RedisFuture<Long> count = redis.callInTransaction(commands -> {
            writer.write(event());
            return commands.incr(order);
        });

        assertThat(count.isDone()).isTrue();
        assertThat(count.get()).isEqualTo(1);
    }

    @Test
    void ofWorkThatFailsNothingTakesEffectNowOrLater() {
        for (int i = 0; i < 20; i++) {
            assertThatThrownBy(() -> redis.inTransaction(commands -> {
                        commands.set(order, "half");
                        writer.write(event());
                        throw new IllegalStateException("no");
                    }))
                    .hasMessage("no");
        }
        String id = redis.callInTransaction(commands -> writer.write(event()));

        awaitDelivery(id);
        assertThat(state()).isNull();
        assertThat(delivered).containsExactly(id);
        assertThat(redis.backend().counts()).isEmpty();
    }

    @Test
    void aTransactionThatRedisRefusesIsRolledBack() {
        List<TransactionEnd> ends = new ArrayList<>();

        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    redis.backend().afterCompletion(ends::add);
                    commands.set(order, "half");
                    commands.dispatch(
                            CommandType.HSET,
                            new IntegerOutput<>(StringCodec.UTF8),
                            new CommandArgs<>(StringCodec.UTF8).addKey(order));
                    writer.write(event());
                }))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("EXECABORT");

        assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
        assertThat(state()).isNull();
        assertThat(redis.backend().counts()).isEmpty();
    }

    @Test
    void aCommandThatFailsIsToldThoughRedisKeepsTheRest() {
        Redis.commands().lpush(order, "a list");
        List<TransactionEnd> ends = new ArrayList<>();
        EventEnvelope event = event();

        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    redis.backend().afterCompletion(ends::add);
                    commands.incr(order);
                    writer.write(event);
                }))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("Command 1 of the transaction failed")
                .hasMessageContaining("WRONGTYPE");

        assertThat(ends).containsExactly(TransactionEnd.COMMITTED);
        awaitDelivery(event.eventId());
    }

    @Test
    void anIdThatIsStoredIsRefusedBeforeAnythingTakesEffect() {
        EventEnvelope event = event();
        writer.write(event);

        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    commands.set(order, "again");
                    writer.write(event);
                }))
                .isInstanceOf(DuplicateEventException.class);
        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    EventEnvelope twice = event();
                    writer.write(twice);
                    writer.write(twice);
                }))
                .isInstanceOf(DuplicateEventException.class);

        assertThat(state()).isNull();
        awaitDelivery(event.eventId());
        assertThat(delivered).containsExactly(event.eventId());
    }

    @Test
    void aTransactionDoesNotNeedRedisToKnowTheScript() {
        redis.inTransaction(commands -> writer.write(event()));
        Redis.commands().scriptFlush();

        String id = redis.callInTransaction(commands -> {
            commands.set(order, "placed");
            return writer.write(event());
        });

        assertThat(state()).isEqualTo("placed");
        awaitDelivery(id);
        awaitDelivery(writer.write(event()));
    }

    @Test
    void aTransactionMayHaveNoEventOrNoCommandOrNeither() {
        redis.inTransaction(commands -> commands.set(order, "alone"));
        redis.inTransaction(commands -> {});
        String id = redis.callInTransaction(commands -> writer.write(event()));

        assertThat(state()).isEqualTo("alone");
        awaitDelivery(id);
    }

    @Test
    void transactionsCannotBeNested() {
        assertThatThrownBy(() -> redis.inTransaction(outer -> redis.inTransaction(inner -> {})))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("nested");
        assertThatThrownBy(
                        () -> redis.inTransaction(outer -> redis.runScript("return 1", List.of(), List.of(), () -> {})))
                .isInstanceOf(IllegalStateException.class);
        assertThat(redis.backend().isTransactionActive()).isFalse();
    }

    /** The client's own limit would begin when a command is handed to it, and drop those that are sent too late. */
    @Test
    void aTransactionMayTakeLongerToGatherThanACommandMayTake() {
        RedisURI uri = Redis.uri(Redis.server());
        uri.setTimeout(Duration.ofSeconds(1));
        EventEnvelope event = event();
        try (RedisOutbox hasty = Redis.connect(uri, name)) {
            hasty.inTransaction(commands -> {
                commands.set(order, "placed");
                await().pollDelay(Duration.ofMillis(1_500)).until(() -> true);
                hasty.backend().persist(List.of(new NewEvent(event, null)));
            });
        }

        assertThat(state()).isEqualTo("placed");
        assertThat(stored(event.eventId())).isPresent();
    }

    @Test
    void aBlockThatEndsTheTransactionItselfIsRefusedAndNothingIsSent() {
        for (Consumer<RedisAsyncCommands<String, String>> end : List.<Consumer<RedisAsyncCommands<String, String>>>of(
                RedisAsyncCommands::exec, RedisAsyncCommands::discard)) {
            List<TransactionEnd> ends = new ArrayList<>();

            assertThatThrownBy(() -> redis.inTransaction(commands -> {
                        redis.backend().afterCompletion(ends::add);
                        commands.set(order, "half");
                        writer.write(event());
                        end.accept(commands);
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("EXEC or DISCARD");

            assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
        }
        assertThat(state()).isNull();
        assertThat(redis.backend().counts()).isEmpty();
    }

    @Test
    void aTransactionThatRedisDiscardsForAWatchedKeyIsRolledBack() throws Exception {
        RedisAsyncCommands<String, String> kept = redis.callInTransaction(commands -> commands);
        kept.watch(order).get();
        Redis.commands().set(order, "changed meanwhile");
        List<TransactionEnd> ends = new ArrayList<>();

        assertThatThrownBy(() -> redis.inTransaction(commands -> {
                    redis.backend().afterCompletion(ends::add);
                    commands.set(order, "placed");
                    writer.write(event());
                }))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("watched key");

        assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
        assertThat(state()).isEqualTo("changed meanwhile");
        assertThat(redis.backend().counts()).isEmpty();
    }

    @Test
    void aCommittedTransactionIsToldAsSuch() {
        assertThat(endOf(() -> writer.write(event()))).isEqualTo(TransactionEnd.COMMITTED);
        assertThat(endOf(() -> {
                    throw new IllegalStateException();
                }))
                .isEqualTo(TransactionEnd.ROLLED_BACK);
    }

    // With a script

    private static final String TAKE = """
            local left = tonumber(redis.call('GET', KEYS[1]) or '0')
            if left < tonumber(ARGV[1]) then return false end
            return redis.call('DECRBY', KEYS[1], ARGV[1])
            """;

    private Object take(String count, EventEnvelope event) {
        return redis.runScript(TAKE, List.of(order), List.of(count), () -> writer.write(event));
    }

    @Test
    void aScriptAndItsEventsTakeEffectTogether() {
        Redis.commands().set(order, "10");
        EventEnvelope event = event();

        assertThat(take("3", event)).isEqualTo(7L);

        assertThat(state()).isEqualTo("7");
        awaitDelivery(event.eventId());
    }

    @Test
    void aScriptThatDeclinesStoresNoEvent() {
        Redis.commands().set(order, "2");
        EventEnvelope event = event();

        assertThat(take("3", event)).isNull();

        assertThat(state()).isEqualTo("2");
        assertThat(stored(event.eventId())).isEmpty();
        assertThat(take("2", event)).isEqualTo(0L);
        awaitDelivery(event.eventId());
    }

    @Test
    void aScriptThatFailsStoresNoEvent() {
        Redis.commands().lpush(order, "a list");
        EventEnvelope event = event();

        assertThatThrownBy(() -> take("1", event))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("WRONGTYPE");
        assertThatThrownBy(() -> redis.runScript(
                        "return redis.error_reply('MINE not now')", List.of(), List.of(), () -> writer.write(event)))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("MINE not now");
        assertThatThrownBy(() -> redis.runScript(
                        "return redis.error_reply('BOOM not now')", List.of(), List.of(), () -> writer.write(event)))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("BOOM not now")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("maxmemory"));

        assertThat(stored(event.eventId())).isEmpty();
    }

    @Test
    void aScriptDoesNotRunIfItsEventIsStoredAlready() {
        Redis.commands().set(order, "10");
        EventEnvelope event = event();
        take("1", event);

        assertThatThrownBy(() -> take("1", event)).isInstanceOf(DuplicateEventException.class);

        assertThat(state()).isEqualTo("9");
    }

    @Test
    void aScriptMayReturnAnythingAndBeForgottenByRedis() {
        Runnable nothing = () -> {};
        assertThat(redis.runScript("return {KEYS[1], ARGV[2], #ARGV}", List.of(order), List.of("a", "b"), nothing))
                .isEqualTo(List.of(order, "b", 2L));
        Redis.commands().scriptFlush();
        assertThat(redis.runScript("return 'text' -- and a comment", List.of(), List.of(), nothing))
                .isEqualTo("text");
    }

    /** Names of ours would be globals of the script's own, which Redis forbids. */
    @Test
    void aScriptSeesNoNamesButItsOwn() {
        for (String ours : new String[] {"EVENT", "queue", "append", "APPEND_ARGS"}) {
            assertThatThrownBy(() -> redis.runScript("return " + ours, List.of(), List.of(), () -> {}))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("nonexistent global variable '" + ours + "'");
        }
    }

    @Test
    void severalEventsOfOneScriptAreStoredInOrder() {
        List<String> ids = new ArrayList<>();
        redis.runScript("return 1", List.of(), List.of(), () -> {
            for (int i = 0; i < 3; i++) {
                ids.add(writer.write(event()));
            }
            ids.addAll(writer.writeAll(List.of(event(), event())));
        });

        await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).containsExactlyInAnyOrderElementsOf(ids));
    }

    // Deletion

    @Test
    void anOutboxThatOnlyWritesPurgesWhatOthersHaveFinishedAndNothingElse() {
        String finished = writer.write(event());
        awaitDelivery(finished);
        String pending = writer.write(EventEnvelope.builder("Placed")
                .payloadJson("{}")
                .deliverAfter(Duration.ofHours(1))
                .build());

        try (Outbox writing = Outbox.writerOnly()
                .backend(redis.backend())
                .purgeRetention(Duration.ofMillis(1))
                .purgeIntervalSeconds(1)
                .build()) {
            assertThat(writing.writer()).isNotNull();
            await().atMost(PATIENCE).until(() -> stored(finished).isEmpty());
        }

        assertThat(stored(pending)).isPresent();
    }

    // Ownership

    @Test
    void whatIsWrittenInATransactionIsHeldByItsOwnerFromTheStart() {
        EventEnvelope event = event();

        redis.inTransaction(commands -> assertThat(redis.backend().persist(List.of(new NewEvent(event, "node"))))
                .containsExactly(event.eventId()));

        assertThat(stored(event.eventId()).orElseThrow().lockedBy()).isEqualTo("node");
    }
}
