package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.sender.SenderBuilder;
import io.outbox.testservers.KafkaServer;
import io.outbox.testservers.broker.BrokerOutageContract;
import io.outbox.testservers.broker.BrokerUnderTest;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("client-lines")
class KafkaOutageTest extends BrokerOutageContract {

    private static KafkaServer server;
    private static KafkaUnderTest kafka;

    @BeforeAll
    static void start() {
        server = KafkaServer.startSecured(
                "SASL_PLAINTEXT",
                "listener.name.secured.sasl.enabled.mechanisms=SCRAM-SHA-256",
                "listener.name.secured.scram-sha-256.sasl.jaas.config="
                        + "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        kafka = KafkaUnderTest.of(server);
    }

    @AfterAll
    static void stop() {
        kafka.close();
    }

    @Override
    protected BrokerUnderTest broker() {
        return kafka;
    }

    @Override
    protected String[] causeOf(Fault fault) {
        return switch (fault) {
            case STANDS_STILL, SILENT -> new String[] {"events wait", "connected, but nothing is acknowledged"};
            case KILLED, REFUSED -> new String[] {"events wait", "no broker can be connected to"};
        };
    }

    /** The first cause that shows is the one that stays. */
    @Override
    protected void awaitCause(String... cause) {
        await().atMost(NOTICED).until(() -> !outbox.status().unavailable().isEmpty());
        assertCause(cause);
    }

    @Test
    void aBrokerThatIsAwayFromTheBeginning() {
        target = kafka.newTarget();
        kafka.proxy().refuse();
        kafka.proxy().resetAll();
        start(sender(target, SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT));

        awaitNotice(causeOf(Fault.REFUSED));
        kafka.proxy().accept();

        awaitReturn();
        assertArrived();
    }

    @Test
    void aPasswordThatIsWrongUntilTheBrokerKnowsIt() throws Exception {
        target = kafka.newTarget();
        setPassword("newcomer", "old");
        start(
                track(
                        kafka.sender(
                                target,
                                SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT,
                                Map.of(
                                        "bootstrap.servers",
                                        server.securedBootstrapServers(),
                                        "security.protocol",
                                        "SASL_PLAINTEXT",
                                        "sasl.mechanism",
                                        "SCRAM-SHA-256",
                                        "sasl.jaas.config",
                                        "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"newcomer\" password=\"new\";"))));

        write(20);
        await().atMost(NOTICED).untilAsserted(() -> assertCause("SaslAuthenticationException"));
        setPassword("newcomer", "new");

        awaitDone();
        assertThat(outbox.status().unavailable()).isEmpty();
        assertNoAttempts(backend);
        assertArrived();
    }

    private static void setPassword(String user, String password) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.bootstrapServers()))) {
            admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                            user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_256, 4096), password)))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }
}
