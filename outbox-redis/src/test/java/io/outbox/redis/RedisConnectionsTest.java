package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.outbox.EventEnvelope;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When connections are made, and when they are gone. The client's threads are shared, and end none of them. */
class RedisConnectionsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final String name = Redis.newName();
    private TcpProxy proxy;

    @BeforeEach
    void start() {
        proxy = TcpProxy.start(Redis.server().port());
    }

    @AfterEach
    void end() {
        proxy.close();
    }

    private RedisOutbox connect(Duration timeout) {
        RedisURI uri = Redis.uri(Redis.server(), proxy.port());
        uri.setClientName(name);
        uri.setTimeout(timeout);
        return Redis.connect(uri, name);
    }

    private long connections() {
        return Redis.commands()
                .clientList()
                .lines()
                .filter(line -> line.contains(" name=" + name + " "))
                .count();
    }

    private void awaitConnections(long count) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(connections()).isEqualTo(count));
    }

    private static EventEnvelope event() {
        return EventEnvelope.ofJson("Any", "{}");
    }

    @Test
    void threadsShareAnAttemptToConnect() {
        try (RedisOutbox redis = connect(PATIENCE)) {
            List<CompletableFuture<Void>> writes = IntStream.range(0, 20)
                    .mapToObj(i -> CompletableFuture.runAsync(
                            () -> redis.backend().persist(List.of(new NewEvent(event(), null)))))
                    .toList();

            writes.forEach(CompletableFuture::join);

            assertThat(connections()).as("one for writing, one for the rest").isEqualTo(2);
        }
        awaitConnections(0);
    }

    @Test
    void onceClosedNothingConnects() {
        RedisOutbox redis = connect(PATIENCE);
        redis.inTransaction(commands -> {});
        redis.close();
        redis.close();

        for (Runnable call : List.<Runnable>of(
                () -> redis.backend().counts(),
                () -> redis.inTransaction(commands -> {}),
                () -> redis.runScript("return 1", List.of(), List.of(), () -> {}))) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("closed");
        }
        redis.wakeUp().listen(types -> {}).close();
        awaitConnections(0);
    }

    @Test
    void aConnectionThatIsBeingMadeDoesNotOutliveTheOutbox() {
        RedisOutbox redis = connect(PATIENCE);
        proxy.resetAll();
        await().atMost(PATIENCE).until(() -> proxy.connections() == 0);
        proxy.stall();
        List<CompletableFuture<?>> calls = new ArrayList<>();
        await().atMost(PATIENCE)
                .until(
                        () -> { // the first may still go to the connection that was cut
                            calls.add(CompletableFuture.runAsync(
                                    () -> redis.backend().counts()));
                            return proxy.connections() > 0;
                        });

        redis.close();
        proxy.resume();

        assertThat(calls)
                .allSatisfy(call -> assertThatThrownBy(call::get)
                        .isInstanceOf(ExecutionException.class)
                        .hasCauseInstanceOf(RedisOutboxException.class));
        awaitConnections(0);
    }

    /** Nobody has to ask Redis what became of it. */
    @Test
    void whatCannotBeSentIsRolledBack() {
        try (RedisOutbox redis = connect(Duration.ofSeconds(5))) {
            proxy.refuse();
            proxy.resetAll();
            awaitConnections(0);
            List<TransactionEnd> ends = new ArrayList<>();

            assertThatThrownBy(() -> redis.runScript("return 1", List.of(), List.of(), () -> {
                        redis.backend().afterCompletion(ends::add);
                        redis.backend().persist(List.of(new NewEvent(event(), null)));
                    }))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("nothing was sent");

            assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
            proxy.accept();
            redis.backend().persist(List.of(new NewEvent(event(), null)));
            assertThat(redis.backend().counts()).hasSize(1);
        }
    }

    @Test
    void aConnectionThatIsLostWhileATransactionGathersHasSentNothing() {
        try (RedisOutbox redis = connect(PATIENCE)) {
            List<TransactionEnd> ends = new ArrayList<>();

            assertThatThrownBy(() -> redis.inTransaction(commands -> {
                        redis.backend().afterCompletion(ends::add);
                        RedisFuture<String> set = commands.set("{" + name + "}:order", "placed");
                        redis.backend().persist(List.of(new NewEvent(event(), null)));
                        proxy.resetAll();
                        await().atMost(PATIENCE).until(set::isDone);
                    }))
                    .isInstanceOf(RedisOutboxException.class)
                    .hasMessageContaining("nothing took effect");

            assertThat(ends).containsExactly(TransactionEnd.ROLLED_BACK);
            assertThat(redis.backend().counts()).isEmpty();
        }
    }

    @Test
    void aNetworkThatSwallowsEverythingIsNotWaitedForBeyondItsEnd() {
        try (RedisOutbox redis = connect(Duration.ofSeconds(1))) {
            proxy.resetAll();
            proxy.stall();
            assertThatThrownBy(() -> redis.backend().counts()).isInstanceOf(RedisOutboxException.class);
            proxy.resume();

            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(RedisOutboxException.class)
                    .until(() -> redis.backend().counts().isEmpty());
        }
    }

    @Test
    void aClusterOfWhichNoNodeAnswersIsNamed() {
        List<RedisURI> nowhere = List.of(RedisURI.create("127.0.0.1", 1));

        assertThatThrownBy(() -> RedisOutbox.clusterBuilder(nowhere)
                        .clientResources(Redis.RESOURCES)
                        .connect())
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("No node of the Redis cluster names the one with slot");
    }

    @Test
    void addressesThatNoClusterHasAreRefused() {
        assertThatThrownBy(() -> RedisOutbox.clusterBuilder(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at least one node");
        RedisURI other = RedisURI.create("redis://127.0.0.1/2");
        assertThatThrownBy(() -> RedisOutbox.clusterBuilder(List.of(other)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("database 0 only");
    }
}
