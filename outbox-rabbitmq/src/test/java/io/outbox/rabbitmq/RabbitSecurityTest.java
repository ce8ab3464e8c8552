package io.outbox.rabbitmq;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.ConnectionFactory;
import io.outbox.BatchOutcome;
import io.outbox.testservers.Certificates;
import io.outbox.testservers.RabbitServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS and rights: an identity that is not known is an outage, a missing right concerns its exchange alone. */
@Timeout(240)
class RabbitSecurityTest {

    @TempDir
    private static Path directory;

    private static Certificates certificates;
    private static RabbitServer server;
    private static Broker broker;

    private RabbitEventPublisher publisher;

    @BeforeAll
    static void start() {
        certificates = Certificates.create(directory);
        server = RabbitServer.startWithTls(certificates);
        broker = new Broker(server);
        server.control("add_user", "limited", "secret");
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
    void aMissingRightOnOneExchangeConcernsThatExchangeOnly() throws Exception {
        String allowed = broker.createExchangeWithQueue();
        String forbidden = broker.createExchangeWithQueue();
        server.control("set_permissions", "limited", "^$", "^" + allowed + "$", "^$");
        publisher = RabbitEventPublisher.builder()
                .connectionFactory(tls(certificates))
                .exchange(event -> event.payloadJson().contains("no") ? forbidden : allowed)
                .build();

        List<BatchOutcome> outcomes =
                publisher.onEvents(List.of(event("1"), event("\"no\""), event("2"), event("\"no\"")));

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed");
        assertThat(reason(outcomes.get(1))).contains("403 ACCESS_REFUSED").contains(forbidden);
        assertThat(broker.read(allowed)).hasSize(2);

        server.control("set_permissions", "limited", "^$", ".*", "^$");
        assertThat(words(publisher.onEvents(List.of(event("\"no\"")))))
                .as("a right that was granted meanwhile")
                .containsExactly("done");
    }

    @Test
    void aCertificateThatIsNotTrustedIsAnOutageWithItsCause() throws Exception {
        Certificates others = Certificates.create(Files.createDirectory(directory.resolve("others")));
        publisher = RabbitEventPublisher.builder()
                .connectionFactory(tls(others))
                .exchange(broker.createExchangeWithQueue())
                .build();

        List<BatchOutcome> outcomes = publisher.onEvents(events(2));

        assertThat(words(outcomes)).containsOnly("unavailable");
        assertThat(reason(outcomes.get(0)))
                .contains("RabbitMQ cannot be reached")
                .contains("SSL");
    }

    private static ConnectionFactory tls(Certificates trusted) {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setHost("localhost");
        factory.setPort(server.tlsPort());
        factory.setUsername("limited");
        factory.setPassword("secret");
        factory.useSslProtocol(trusted.clientContext());
        factory.enableHostnameVerification();
        return factory;
    }
}
