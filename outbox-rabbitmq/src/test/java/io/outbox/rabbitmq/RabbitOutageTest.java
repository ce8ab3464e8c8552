package io.outbox.rabbitmq;

import static io.outbox.rabbitmq.Outcomes.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.ConnectionFactory;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventStatus;
import io.outbox.model.UnavailableTarget;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testing.InMemoryOutboxBackend;
import io.outbox.testservers.RabbitServer;
import io.outbox.testservers.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An outage shows within seconds and with its cause, at the default timeouts, and costs no attempts. */
@Timeout(240)
class RabbitOutageTest {

    private static final Duration NOTICED = Duration.ofSeconds(5);
    private static final String TYPE = "order-created";

    private static RabbitServer server;
    private static TcpProxy proxy;
    private static Broker broker;

    private final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    private final List<String> written = new ArrayList<>();
    private RabbitEventPublisher publisher;
    private Outbox outbox;
    private String exchange;
    private long doneBefore;

    @BeforeAll
    static void start() {
        server = RabbitServer.start();
        proxy = TcpProxy.start(server.port());
        broker = new Broker(server);
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
        awaitNotice("has not answered for 3 s");
        server.resume();

        awaitReturn();
        assertThat(broker.messageIds(exchange)).isEqualTo(written);
    }

    @Test
    void aBrokerThatIsKilled() {
        startAndDeliver();
        server.saveDefinitions();

        server.kill();
        awaitNotice("RabbitMQ cannot be reached");
        server.restart();

        awaitReturn();
        assertThat(broker.messageIds(exchange))
                .endsWith(written.subList(1, written.size()).toArray(String[]::new));
    }

    @Test
    void aNetworkThatIsSilentInMidBatch() {
        startAndDeliver();

        proxy.stallAnswers();
        awaitNotice("has not answered for 3 s");
        proxy.resume();

        awaitReturn();
        assertThat(broker.messageIds(exchange)).isEqualTo(written);
    }

    @Test
    void aNetworkThatCannotBePassed() {
        startAndDeliver();

        proxy.refuse();
        proxy.resetAll();
        awaitNotice("Connection refused");
        proxy.accept();

        awaitReturn();
        assertThat(broker.messageIds(exchange)).isEqualTo(written);
    }

    @Test
    void aBrokerThatIsShortOfMemory() {
        startAndDeliver();

        server.control("set_vm_memory_high_watermark", "absolute", "1");
        awaitNotice("blocks publishers: low on memory");
        server.control("set_vm_memory_high_watermark", "0.4");

        awaitReturn();
        assertThat(broker.messageIds(exchange)).isEqualTo(written);
    }

    @Test
    void aPasswordThatIsWrongUntilTheBrokerKnowsIt() {
        exchange = broker.createExchangeWithQueue();
        server.control("add_user", "newcomer", "old");
        server.control("set_permissions", "newcomer", ".*", ".*", ".*");
        ConnectionFactory factory = broker.factory(proxy);
        factory.setUsername("newcomer");
        factory.setPassword("new");
        start(factory);

        awaitNotice("ACCESS_REFUSED");
        server.control("change_password", "newcomer", "new");

        awaitReturn();
        assertThat(broker.messageIds(exchange)).isEqualTo(written);
    }

    @Test
    void aFullQueueCostsTheOthersFewDuplicates() {
        exchange = broker.createExchangeWithQueue();
        String full = exchange + "-full";
        broker.with(channel -> {
            channel.queueDeclare(full, true, false, false, Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
            return channel.queueBind(full, exchange, "#");
        });
        start(broker.factory(proxy));
        write(20);
        await().atMost(NOTICED).until(() -> !outbox.status().unavailable().isEmpty());
        write(50);
        assertThat(outbox.status().unavailable().get(0).cause()).contains("nack");
        await().pollDelay(Duration.ofSeconds(7)).until(() -> true);
        List<String> arrived = new ArrayList<>(broker.messageIds(exchange));

        assertThat(arrived.size() - arrived.stream().distinct().count())
                .as("one at a time, after 2 and 4 seconds")
                .isLessThanOrEqualTo(2);
        assertThat(backend.events())
                .allSatisfy(event -> assertThat(event.attempts()).isZero());

        broker.with(channel -> {
            channel.queueDelete(full);
            return null;
        });
        awaitDone();
        arrived.addAll(broker.messageIds(exchange));
        assertThat(arrived).containsAll(written);
        assertThat(arrived.size())
                .as("the batch that met the full queue came twice")
                .isLessThan(70 + 20 + 4);
    }

    private void startAndDeliver() {
        exchange = broker.createExchangeWithQueue();
        start(broker.factory(proxy));
        write(1);
        awaitDone();
    }

    private void start(ConnectionFactory factory) {
        publisher = RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange(exchange)
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
        await().atMost(NOTICED)
                .untilAsserted(() -> assertThat(outbox.status().unavailable())
                        .singleElement()
                        .extracting(UnavailableTarget::cause)
                        .asString()
                        .contains(cause));
        write(20);
        doneBefore = done();
    }

    /** The first event is out within a second, if not sooner, and all are after a while, uncounted. */
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
    }

    private long done() {
        return backend.events().stream()
                .filter(event -> event.status() == EventStatus.DONE)
                .count();
    }

    private void awaitDone() {
        await().atMost(Duration.ofSeconds(30)).until(() -> done() == written.size());
    }
}
