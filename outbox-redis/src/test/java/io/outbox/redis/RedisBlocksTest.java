package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.redis.RedisOutboxException.Effect;
import io.outbox.spi.NewEvent;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What a block or a script must not do, what a caller is told of its end, and connections that were idle in between.
 */
class RedisBlocksTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name = Redis.newName();
    private final String order = "{" + name + "}:order";
    private final TcpProxy proxy = TcpProxy.start(Redis.server().port());
    private final RedisOutbox redis = connect();

    private RedisURI uri() {
        RedisURI uri = Redis.uri(Redis.server(), proxy.port());
        uri.setTimeout(Duration.ofSeconds(2));
        return uri;
    }

    private RedisOutbox connect() {
        return Redis.connect(uri(), name);
    }

    @AfterEach
    void close() {
        Redis.commands().configSet("maxmemory-policy", "noeviction");
        Redis.commands().configSet("min-replicas-to-write", "0");
        redis.close();
        proxy.close();
    }

    private void write() {
        redis.backend().persist(List.of(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null)));
    }

    private long stored() {
        return redis.backend().counts().stream()
                .mapToLong(count -> count.pending() + count.inProcess())
                .sum();
    }

    // What a block must not do

    @Test
    void aCommandThatChangesTheConnectionIsRefusedAndNothingIsSent() {
        CommandArgs<String, String> database = new CommandArgs<>(StringCodec.UTF8).add(1);
        for (Consumer<RedisAsyncCommands<String, String>> change :
                List.<Consumer<RedisAsyncCommands<String, String>>>of(
                        commands -> commands.select(1),
                        commands -> commands.auth("any"),
                        commands -> commands.clientSetname("any"),
                        commands -> commands.dispatch(
                                CommandType.SELECT, new StatusOutput<>(StringCodec.UTF8), database))) {
            assertThatThrownBy(() -> redis.inTransaction(commands -> {
                        commands.set(order, "half");
                        write();
                        change.accept(commands);
                    }))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("changes the connection")
                    .hasMessageContaining("nothing was sent");
        }

        assertThat(Redis.commands().get(order)).isNull();
        assertThat(stored()).isZero();
    }

    @Test
    void waitingForAnAnswerInABlockIsRefused() throws Exception {
        assertThatThrownBy(() -> assertTimeoutPreemptively(
                        PATIENCE,
                        () -> redis.inTransaction(commands -> {
                            try {
                                commands.get(order).get();
                            } catch (InterruptedException | java.util.concurrent.ExecutionException e) {
                                throw new AssertionError(e);
                            }
                        })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has waited for an answer");

        RedisFuture<String> answer = redis.callInTransaction(commands -> commands.set(order, "placed"));
        assertThat(answer.get()).isEqualTo("OK");
    }

    @Test
    void anEventOutsideOfABlockIsRefusedIfTheOutboxSaysSo() {
        try (RedisOutbox strict = RedisOutbox.builder(uri())
                        .name(name)
                        .clientResources(Redis.RESOURCES)
                        .requireTransaction()
                        .connect();
                Outbox outbox = Outbox.writerOnly().backend(strict.backend()).build()) {
            assertThatThrownBy(() -> outbox.writer().write("Placed", "{}"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("takes no event alone");
            assertThatThrownBy(() -> strict.inTransaction(commands -> CompletableFuture.runAsync(
                                    () -> outbox.writer().write("Placed", "{}"))
                            .join()))
                    .hasRootCauseInstanceOf(IllegalStateException.class);
            assertThat(stored()).isZero();

            strict.inTransaction(commands -> outbox.writer().write("Placed", "{}"));
            assertThat(stored()).isEqualTo(1);
        }
    }

    @Test
    void anAddressWithoutATimeoutIsRefusedAsSuch() {
        RedisURI uri = uri();
        uri.setTimeout(Duration.ZERO);

        assertThatThrownBy(() -> Redis.connect(uri, name))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no timeout");
    }

    // Scripts

    @Test
    void aScriptWithoutAReturnStoresItsEvent() {
        Object result =
                redis.runScript("redis.call('SET', KEYS[1], ARGV[1])", List.of(order), List.of("placed"), this::write);

        assertThat(result).isNull();
        assertThat(stored()).isEqualTo(1);
        for (String declining : new String[] {"return false", "return nil", "return", "do return end"}) {
            assertThat(redis.runScript(declining, List.of(), List.of(), this::write))
                    .isNull();
        }
        assertThat(stored()).as("after some have declined").isEqualTo(1);
    }

    // What the caller is told

    private static Effect effectOf(Runnable call) {
        return catchThrowableOfType(RedisOutboxException.class, call::run).effect();
    }

    @Test
    void theExceptionSaysWhatHasHappened() {
        assertThat(effectOf(() -> redis.runScript("no lua", List.of(), List.of(), this::write)))
                .isEqualTo(Effect.NONE);
        assertThat(effectOf(() -> redis.runScript(
                        "redis.call('SET', KEYS[1], 'half') error('no')", List.of(order), List.of(), this::write)))
                .isEqualTo(Effect.PART);
        assertThat(effectOf(() ->
                        redis.runScript("return redis.error_reply('NO')", List.of(order), List.of(), this::write)))
                .isEqualTo(Effect.PART);
        assertThat(stored()).isZero();
        assertThat(effectOf(() -> redis.inTransaction(commands -> {
                    commands.lpush(order, "no list");
                    write();
                })))
                .isEqualTo(Effect.PART);
        assertThat(stored()).isEqualTo(1);

        try (RedisOutbox waiting = RedisOutbox.builder(uri())
                .name(name)
                .clientResources(Redis.RESOURCES)
                .waitForReplicas(1, Duration.ofMillis(10))
                .connect()) {
            assertThat(effectOf(() -> waiting.backend()
                            .persist(List.of(new NewEvent(EventEnvelope.ofJson("Placed", "{}"), null)))))
                    .isEqualTo(Effect.ALL);
        }
        assertThat(stored()).isEqualTo(2);
        proxy.stallAnswers();
        assertThat(effectOf(this::write)).isEqualTo(Effect.UNKNOWN);
        proxy.resume();
        proxy.refuse();
        await().atMost(PATIENCE).until(() -> effectOf(this::write) == Effect.NONE);
    }

    @Test
    void aScriptThatFailsIsNamed() {
        Redis.commands().set("{" + name + "}:outbox:body", "no hash");

        assertThatThrownBy(this::write).isInstanceOf(RedisOutboxException.class).hasMessageContaining("'append-one'");
    }

    // Connections

    @Test
    void idleConnectionsAreGivenUpTogetherWhenOneIsSilent() throws Exception {
        int before = proxy.connections();
        int idle = 6;
        CountDownLatch all = new CountDownLatch(idle);
        List<CompletableFuture<Void>> transactions = new ArrayList<>();
        for (int i = 0; i < idle; i++) {
            transactions.add(CompletableFuture.runAsync(
                    () -> redis.inTransaction(commands -> {
                        all.countDown();
                        try {
                            all.await();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    }),
                    task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(transactions.toArray(CompletableFuture[]::new)).get();
        assertThat(proxy.connections()).isEqualTo(before + idle);

        proxy.stall();
        assertThat(effectOf(() -> redis.inTransaction(commands -> commands.set(order, "lost"))))
                .isEqualTo(Effect.UNKNOWN);
        proxy.resume();

        await().atMost(PATIENCE).until(() -> proxy.connections() == before);
    }

    @Test
    void aServerThatMayEvictEventsIsReportedWhenItIsConnectedToAgain() {
        List<String> errors = new CopyOnWriteArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                errors.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(ServerCheck.class.getName());
        logger.addHandler(handler);
        try {
            Redis.commands().configSet("maxmemory-policy", "allkeys-random");
            proxy.resetAll();

            await().atMost(PATIENCE).untilAsserted(() -> {
                redis.backend().currentTime();
                assertThat(errors).anyMatch(error -> error.contains("allkeys-random"));
            });
        } finally {
            logger.removeHandler(handler);
        }
    }

    @Test
    void aNodeStartsWhileWritesAreRefused() {
        Redis.commands().configSet("min-replicas-to-write", "1");

        connect().close();
    }
}
