package io.outbox.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.model.EventCount;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.TransactionEnd;
import io.outbox.testservers.Certificates;
import io.outbox.testservers.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** TLS, and users who may do no more than an outbox needs. */
class RedisSecurityTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long NEVER_MS = 3_600_000;

    @TempDir
    private static Path directory;

    private static String rights;
    private static Certificates certificates;
    private static RedisServer server;
    private static RedisClient client;
    private static RedisCommands<String, String> admin;

    private final String name = Redis.newName();
    private final Set<String> delivered = ConcurrentHashMap.newKeySet();

    @BeforeAll
    static void start() throws IOException {
        rights = documentedRights();
        certificates = Certificates.create(directory);
        server = RedisServer.startWithTls(certificates);
        client = RedisClient.create(Redis.RESOURCES, Redis.uri(server));
        admin = client.connect().sync();
    }

    /** Reads what the documentation says an outbox needs, with a placeholder for its name. */
    private static String documentedRights() throws IOException {
        Matcher command = Pattern.compile("ACL SETUSER shop on >secret ([^`]*)```")
                .matcher(Files.readString(Path.of("..", "docs", "redis.md")));
        assertThat(command.find()).isTrue();
        return command.group(1).strip().replaceAll("\\s+", " ").replace("{shop}", "{%1$s}");
    }

    @AfterAll
    static void stop() {
        client.shutdown();
        server.close();
    }

    private static RedisURI tls() {
        return RedisURI.create("rediss://:" + server.password() + "@localhost:" + server.tlsPort());
    }

    private RedisOutbox connect(RedisURI uri, Certificates trusted) {
        SslOptions ssl = SslOptions.builder()
                .truststore(trusted.trustStoreFile().toFile(), Certificates.PASSWORD)
                .build();
        return RedisOutbox.builder(uri)
                .name(name)
                .clientResources(Redis.RESOURCES)
                .clientOptions(ClientOptions.builder().sslOptions(ssl).build())
                .connect();
    }

    /** Has all three ways to write and hints from one outbox to another. */
    private void deliverEverything(RedisOutbox redis) {
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Secret", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        try (Outbox delivering = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking(PATIENCE)
                        .purgeRetention(Duration.ZERO)
                        .listenerRegistry(listeners)
                        .intervalMs(NEVER_MS)
                        .build();
                Outbox writing = Outbox.writerOnly()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .build()) {
            assertThat(delivering.writer()).isNotNull();
            String alone = writing.writer().write("Secret", "{}");
            String withCommands =
                    redis.callInTransaction(commands -> writing.writer().write("Secret", "{}"));
            EventEnvelope withScript = EventEnvelope.ofJson("Secret", "{}");
            redis.runScript(
                    "return 1", List.of(), List.of(), () -> writing.writer().write(withScript));

            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(delivered).containsExactlyInAnyOrder(alone, withCommands, withScript.eventId()));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(redis.backend().counts()).isEmpty());
        }
    }

    @Test
    void everythingGoesOverTls() {
        try (RedisOutbox redis = connect(tls(), certificates)) {
            deliverEverything(redis);
            assertThat(admin.clientList().lines().filter(line -> line.contains(" laddr=127.0.0.1:" + server.tlsPort())))
                    .as("connections for writing, delivering, transactions and hints")
                    .hasSize(4);
        }
    }

    @Test
    void aCertificateThatIsNotTrustedIsNamedAsTheReason() throws Exception {
        Certificates others = Certificates.create(Files.createDirectory(directory.resolve("others")));

        assertThatThrownBy(() -> connect(tls(), others))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("nothing was sent")
                .hasMessageContaining("PKIX path");
    }

    /** Often, since the client learns of the end of the connection and of its reason at the same moment. */
    @RepeatedTest(100)
    void aWrongPasswordIsNamedAsTheReasonAndNotShown() {
        RedisURI uri = Redis.uri(server);
        uri.setCredentialsProvider(
                RedisURI.create("redis://:wrong-one@localhost").getCredentialsProvider());

        assertThatThrownBy(() -> Redis.connect(uri, name))
                .isInstanceOf(RedisOutboxException.class)
                .hasMessageContaining("WRONGPASS")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("wrong-one"));
    }

    // Rights

    private RedisURI user(String granted) {
        CommandArgs<String, String> words = new CommandArgs<>(StringCodec.UTF8).add("SETUSER");
        words.addValues(("limited reset on >secret " + granted.formatted(name)).split(" "));
        admin.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), words);
        RedisURI uri = RedisURI.create("redis://limited:secret@127.0.0.1:" + server.port());
        uri.setTimeout(PATIENCE);
        return uri;
    }

    @Test
    void theRightsThatAreDocumentedAreEnough() {
        try (RedisOutbox redis = Redis.connect(user(rights), name)) {
            deliverEverything(redis);
            String dead;
            try (Outbox outbox = Outbox.writerOnly().backend(redis.backend()).build()) {
                dead = outbox.writer().write("Dead", "{}");
                redis.backend().apply(null, List.of(new Outcome.Dead(dead, "no")));
                assertThat(outbox.deadEvents().count("Dead")).isEqualTo(1);
                assertThat(outbox.deadEvents().replay(dead)).isTrue();
            }
            redis.backend().apply(null, List.of(new Outcome.Dead(dead, "no")));
            assertThat(redis.backend().countDead(null)).isEqualTo(1);
            assertThat(redis.backend().purge(Instant.now().plusSeconds(60), 10)).isEqualTo(1);
            assertThat(redis.backend().currentTime()).isNotNull();
            deliverInOrder(redis);
        }
    }

    private void deliverInOrder(RedisOutbox redis) {
        List<String> received = new CopyOnWriteArrayList<>();
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Ordered", event -> {
            received.add(event.eventId());
            return DispatchResult.done();
        });
        try (Outbox outbox = Outbox.multiNode()
                .backend(redis.backend())
                .claimLocking(PATIENCE)
                .ordering(Ordering.byKey())
                .listenerRegistry(listeners)
                .build()) {
            List<String> written = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                written.add(outbox.writer()
                        .write(EventEnvelope.builder("Ordered")
                                .aggregateId("k")
                                .payloadJson("{}")
                                .build()));
            }
            await().atMost(PATIENCE).until(() -> received.equals(written));
            assertThat(redis.dropOrder()).isLessThanOrEqualTo(3);
        }
    }

    /** A script would stop in its midst, and leave half of an event behind. */
    @Test
    void aRightThatIsMissingIsNamedAtTheStartAndNothingIsWritten() {
        for (String missing : new String[] {"zadd", "hincrby", "hstrlen", "smembers", "watch", "exec"}) {
            RedisURI uri = user(rights + " -" + missing);

            assertThatThrownBy(() -> Redis.connect(uri, name))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("may not use [" + missing.toUpperCase(Locale.ROOT) + "]");
        }
        RedisURI elsewhere = user(rights.replace("~{%1$s}:*", "~other:* ~{%1$s}:outbox:event"));
        assertThatThrownBy(() -> Redis.connect(elsewhere, name))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("HSET")
                .hasMessageContaining("keys that begin with '{" + name + "}:'");
        assertThat(admin.exists("{" + name + "}:outbox:schema")).isZero();
    }

    private RedisOutbox connectAndWait(RedisURI uri) {
        return RedisOutbox.builder(uri)
                .name(name)
                .clientResources(Redis.RESOURCES)
                .waitForReplicas(1, Duration.ofMillis(100))
                .connect();
    }

    @Test
    void theRightToWaitIsAskedForWhereReplicasAreAwaited() {
        RedisURI uri = user(rights + " -wait");

        Redis.connect(uri, name).close();
        assertThatThrownBy(() -> connectAndWait(uri))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("may not use [WAIT]");
    }

    @Test
    void aWaitThatIsRefusedLeavesTheEventsStoredAndIsToldAsSuch() {
        try (RedisOutbox redis = connectAndWait(user(rights))) {
            user(rights + " -wait");
            List<TransactionEnd> ends = new ArrayList<>();
            Runnable write = () -> {
                redis.backend().afterCompletion(ends::add);
                redis.backend().persist(List.of(new NewEvent(EventEnvelope.ofJson("Secret", "{}"), null)));
            };
            for (Runnable way : List.<Runnable>of(
                    () -> redis.runScript("return 1", List.of(), List.of(), write),
                    () -> redis.inTransaction(commands -> write.run()),
                    () -> redis.backend().persist(List.of(new NewEvent(EventEnvelope.ofJson("Secret", "{}"), null))))) {
                assertThatThrownBy(way::run)
                        .isInstanceOf(RedisOutboxException.class)
                        .hasMessageContaining("The events are stored")
                        .hasMessageContaining("NOPERM");
            }

            assertThat(ends).containsExactly(TransactionEnd.COMMITTED, TransactionEnd.COMMITTED);
            assertThat(redis.backend().counts()).containsExactly(new EventCount("Secret", 3, 0));
        }
    }

    @Test
    void withoutARightToTheChannelEventsAreFoundByPolling() {
        RedisURI uri = user(rights.replace("&{%1$s}:*", "&other"));
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register("Secret", event -> {
            delivered.add(event.eventId());
            return DispatchResult.done();
        });
        try (RedisOutbox redis = Redis.connect(uri, name);
                Outbox delivering = Outbox.multiNode()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .claimLocking(PATIENCE)
                        .listenerRegistry(listeners)
                        .intervalMs(50)
                        .build();
                Outbox writing = Outbox.writerOnly()
                        .backend(redis.backend())
                        .wakeUp(redis.wakeUp())
                        .build()) {
            String id = writing.writer().write("Secret", "{}");

            await().atMost(PATIENCE).untilAsserted(() -> assertThat(delivered).contains(id));
            assertThat(redis.wakeUp().isConnected()).isFalse();
            assertThat(delivering.counts()).isNotNull();
        }
    }
}
