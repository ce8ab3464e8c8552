package io.outbox.kafka;

import static io.outbox.kafka.Outcomes.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.UnavailableTarget;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An outage shows within seconds and with its cause, at the default timeouts, and costs neither attempts nor order. */
@Tag("client-lines")
@Timeout(240)
class KafkaOutageTest {

    private static final Duration NOTICED = Duration.ofSeconds(5);
    private static final String TYPE = "order-created";

    private static KafkaServer server;
    private static TcpProxy proxy;
    private static Topics topics;

    private final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    private final List<String> written = new ArrayList<>();
    private KafkaEventPublisher publisher;
    private Outbox outbox;
    private String topic;
    private long doneBefore;

    @BeforeAll
    static void start() {
        server = KafkaServer.startSecured(
                "SASL_PLAINTEXT",
                "listener.name.secured.sasl.enabled.mechanisms=SCRAM-SHA-256",
                "listener.name.secured.scram-sha-256.sasl.jaas.config="
                        + "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        proxy = TcpProxy.start(server.port());
        server.advertise(proxy);
        topics = new Topics(server);
    }

    @AfterAll
    static void stop() {
        proxy.close();
        server.close();
    }

    @AfterEach
    void mendAndClose() {
        server.resume();
        proxy.accept();
        proxy.resume();
        outbox.close();
        publisher.close();
    }

    @Test
    void aBrokerThatStandsStill() {
        startAndDeliver();

        server.pause();
        awaitNotice("connected, but nothing is acknowledged");
        server.resume();

        awaitReturn();
    }

    @Test
    void aBrokerThatIsKilled() {
        startAndDeliver();

        server.kill();
        awaitNotice("no broker can be connected to");
        server.restart();

        awaitReturn();
    }

    @Test
    void aNetworkThatIsSilentInMidBatch() {
        startAndDeliver();

        proxy.stallAnswers();
        awaitNotice("connected, but nothing is acknowledged");
        proxy.resume();

        awaitReturn();
    }

    @Test
    void aNetworkThatCannotBePassed() {
        startAndDeliver();

        proxy.refuse();
        proxy.resetAll();
        awaitNotice("no broker can be connected to");
        proxy.accept();

        awaitReturn();
    }

    @Test
    void aBrokerThatIsAwayFromTheBeginning() {
        topic = topics.create();
        proxy.refuse();
        proxy.resetAll();
        start(byProxy());

        awaitNotice("no broker can be connected to");
        proxy.accept();

        awaitReturn();
    }

    @Test
    void aPasswordThatIsWrongUntilTheBrokerKnowsIt() throws Exception {
        topic = topics.create();
        setPassword("newcomer", "old");
        start(
                Map.of(
                        "bootstrap.servers",
                        server.securedBootstrapServers(),
                        "security.protocol",
                        "SASL_PLAINTEXT",
                        "sasl.mechanism",
                        "SCRAM-SHA-256",
                        "sasl.jaas.config",
                        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"newcomer\" password=\"new\";"));

        write(20);
        await().atMost(NOTICED)
                .untilAsserted(() -> assertThat(outbox.status().unavailable())
                        .singleElement()
                        .satisfies(target -> assertThat(target.cause()).contains("SaslAuthenticationException")));
        setPassword("newcomer", "new");

        awaitDone();
        assertThat(outbox.status().unavailable()).isEmpty();
        assertThat(backend.events())
                .allSatisfy(event -> assertThat(event.attempts()).isZero());
        assertThat(topics.eventIds(topic)).isEqualTo(written);
    }

    private static void setPassword(String user, String password) throws Exception {
        try (Admin admin = Admin.create(byProxy())) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private void startAndDeliver() {
        topic = topics.create();
        start(byProxy());
        write(1);
        awaitDone();
    }

    private static Map<String, Object> byProxy() {
        return Map.of("bootstrap.servers", "127.0.0.1:" + proxy.port());
    }

    private void start(Map<String, Object> config) {
        publisher = KafkaEventPublisher.builder()
                .producerConfig(config)
                .topic(topic)
                .build();
        outbox = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, publisher))
                .lane(TYPE, LanePolicy.builder().maxAttempts(1).build())
                .build();
    }

    private void write(int count) {
        backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(count))));
    }

    private void awaitNotice(String cause) {
        write(20);
        await().atMost(NOTICED).until(() -> !outbox.status().unavailable().isEmpty());
        assertThat(outbox.status().unavailable())
                .singleElement()
                .extracting(UnavailableTarget::eventType, UnavailableTarget::cause)
                .satisfies(shown -> assertThat(shown.get(0)).isEqualTo(TYPE))
                .satisfies(shown -> assertThat(shown.get(1))
                        .asString()
                        .contains("events wait")
                        .contains(cause));
        write(20);
        doneBefore = done();
    }

    /** The first event is out within a second, if not sooner, all are after a while, once each and in order. */
    private void awaitReturn() {
        long back = System.nanoTime();
        await().pollInterval(5, TimeUnit.MILLISECONDS)
                .atMost(Duration.ofSeconds(20))
                .until(() -> done() > doneBefore);
        Duration took = Duration.ofNanos(System.nanoTime() - back);
        awaitDone();

        assertThat(took).as("until the first event was out").isLessThan(Duration.ofSeconds(1));
        assertThat(outbox.status().unavailable()).isEmpty();
        assertThat(backend.events())
                .allSatisfy(event -> assertThat(event.attempts()).isZero());
        assertThat(topics.eventIds(topic)).isEqualTo(written);
    }

    private long done() {
        return backend.events().stream()
                .filter(event -> event.status() == EventStatus.DONE)
                .count();
    }

    private void awaitDone() {
        await().atMost(Duration.ofSeconds(20)).until(() -> done() == written.size());
    }
}
