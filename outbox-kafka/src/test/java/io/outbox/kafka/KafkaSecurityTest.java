package io.outbox.kafka;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.testservers.Certificates;
import io.outbox.testservers.KafkaServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS, SASL and rights: a wrong identity is an outage, a missing right concerns its topic alone. */
@Tag("client-lines")
@Timeout(240)
class KafkaSecurityTest {

    private static final String LOGIN = "org.apache.kafka.common.security.%s required username=\"%s\" password=\"%s\";";

    @TempDir
    private static Path directory;

    private static Certificates certificates;
    private static KafkaServer server;
    private static Topics topics;

    private KafkaEventPublisher publisher;

    @BeforeAll
    static void start() throws Exception {
        certificates = Certificates.create(directory);
        server = KafkaServer.startSecured(
                "SASL_SSL",
                "listener.name.secured.ssl.keystore.location=" + certificates.keyStoreFile(),
                "listener.name.secured.ssl.keystore.password=" + Certificates.PASSWORD,
                "listener.name.secured.ssl.key.password=" + Certificates.PASSWORD,
                "listener.name.secured.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256",
                "listener.name.secured.plain.sasl.jaas.config="
                        + "org.apache.kafka.common.security.plain.PlainLoginModule required user_shop=\"secret\";",
                "listener.name.secured.scram-sha-256.sasl.jaas.config="
                        + "org.apache.kafka.common.security.scram.ScramLoginModule required;",
                "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users=User:ANONYMOUS");
        topics = new Topics(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void close() {
        publisher.close();
    }

    @Test
    void aMissingRightOnOneTopicConcernsThatTopicOnly() throws Exception {
        String allowed = topics.create();
        String forbidden = topics.create();
        allow("shop", allowed);
        publisher = publisher(
                plain("secret"),
                KafkaEventPublisher.builder().topic(event -> event.payloadJson().contains("no") ? forbidden : allowed));

        List<EventEnvelope> events = List.of(event("1"), event("\"no\""), event("2"), event("\"no\""));
        // a broker that is slow to tell of topics has events come again
        List<BatchOutcome> outcomes = await().atMost(Duration.ofSeconds(60))
                .until(() -> publisher.onEvents(events), all -> !words(all).contains("deferred"));

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed");
        assertThat(reason(outcomes.get(1)))
                .contains("TopicAuthorizationException")
                .contains(forbidden);
        assertThat(topics.eventIds(allowed))
                .containsOnly(events.get(0).eventId(), events.get(2).eventId());

        allow("shop", forbidden);
        await().atMost(Duration.ofSeconds(60))
                .until(() -> words(publisher.onEvents(List.of(event("\"no\"")))).equals(List.of("done")));
    }

    @Test
    void aWrongPasswordIsAnOutageWithItsCause() {
        publisher = publisher(plain("wrong"), KafkaEventPublisher.builder().topic(topics.create()));

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(events(5));

        assertThat(words(outcomes)).hasSize(5).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0)))
                .contains("SaslAuthenticationException")
                .doesNotContain("wrong");
        assertThat(Duration.ofNanos(System.nanoTime() - start))
                .as("does not wait for metadata that never come")
                .isLessThan(Duration.ofSeconds(20));
    }

    @Test
    void aPasswordThatTheBrokerLearnsEndsTheOutage() throws Exception {
        String topic = topics.create();
        String user = "user-" + UUID.randomUUID();
        allow(user, topic);
        setPassword(user, "old");
        Map<String, Object> config = tls();
        config.put("sasl.mechanism", "SCRAM-SHA-256");
        config.put("sasl.jaas.config", LOGIN.formatted("scram.ScramLoginModule", user, "new"));
        publisher = publisher(config, KafkaEventPublisher.builder().topic(topic));
        for (int i = 0; i < 3; i++) {
            assertThat(words(publisher.onEvents(events(2)))).containsOnly("unavailable");
        }

        setPassword(user, "new");

        await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(500))
                .until(() -> words(publisher.onEvents(events(1))).equals(List.of("done")));
        assertThat(words(publisher.onEvents(events(10)))).containsOnly("done");
    }

    @Test
    void aCertificateThatIsNotTrustedIsAnOutageWithItsCause() throws Exception {
        Certificates others = Certificates.create(Files.createDirectory(directory.resolve("others")));
        Map<String, Object> config = plain("secret");
        config.put("ssl.truststore.location", others.trustStoreFile().toString());
        publisher = publisher(config, KafkaEventPublisher.builder().topic(topics.create()));

        List<BatchOutcome> outcomes = publisher.onEvents(events(2));

        assertThat(words(outcomes)).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("SslAuthenticationException");
    }

    private static Map<String, Object> plain(String password) {
        Map<String, Object> config = tls();
        config.put("sasl.mechanism", "PLAIN");
        config.put("sasl.jaas.config", LOGIN.formatted("plain.PlainLoginModule", "shop", password));
        return config;
    }

    private static Map<String, Object> tls() {
        return new HashMap<>(Map.of(
                "bootstrap.servers",
                server.securedBootstrapServers(),
                "security.protocol",
                "SASL_SSL",
                "ssl.truststore.location",
                certificates.trustStoreFile().toString(),
                "ssl.truststore.password",
                Certificates.PASSWORD));
    }

    private static KafkaEventPublisher publisher(Map<String, Object> config, KafkaEventPublisher.Builder builder) {
        return builder.producerConfig(config).build();
    }

    private static void allow(String user, String topic) throws Exception {
        try (Admin admin = admin()) {
            admin.createAcls(List.of(new AclBinding(
                            new ResourcePattern(ResourceType.TOPIC, topic, PatternType.LITERAL),
                            new AccessControlEntry("User:" + user, "*", AclOperation.WRITE, AclPermissionType.ALLOW))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static void setPassword(String user, String password) throws Exception {
        try (Admin admin = admin()) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    private static Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()));
    }
}
