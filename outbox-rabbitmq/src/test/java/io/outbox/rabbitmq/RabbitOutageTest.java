package io.outbox.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.sender.SenderBuilder;
import io.outbox.testservers.broker.BrokerOutageContract;
import io.outbox.testservers.broker.BrokerUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class RabbitOutageTest extends BrokerOutageContract {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static RabbitUnderTest rabbit;

    @BeforeAll
    static void start() {
        rabbit = RabbitUnderTest.start();
    }

    @AfterAll
    static void stop() {
        rabbit.close();
    }

    @Override
    protected BrokerUnderTest broker() {
        return rabbit;
    }

    @Override
    protected String[] causeOf(Fault fault) {
        return switch (fault) {
            case STANDS_STILL, SILENT -> new String[] {"has not answered for 3 s"};
            case KILLED -> new String[] {"RabbitMQ cannot be reached"};
            case REFUSED -> new String[] {"Connection refused"};
        };
    }

    /** What arrived before may be gone: it is the test's server that forgets it. */
    @Override
    protected void assertArrivedAfterKill() {
        assertThat(rabbit.eventIds(target))
                .endsWith(written.subList(1, written.size()).toArray(String[]::new));
    }

    @Test
    void aBrokerThatIsShortOfMemory() {
        startAndDeliver();

        rabbit.server().control("set_vm_memory_high_watermark", "absolute", "1");
        awaitNotice("blocks publishers: low on memory");
        rabbit.server().control("set_vm_memory_high_watermark", "0.4");

        awaitReturn();
        assertArrived();
    }

    @Test
    void aPasswordThatIsWrongUntilTheBrokerKnowsIt() {
        target = rabbit.newTarget();
        rabbit.server().control("add_user", "newcomer", "old");
        rabbit.server().control("set_permissions", "newcomer", ".*", ".*", ".*");
        ConnectionFactory factory = rabbit.broker().factory(rabbit.proxy());
        factory.setUsername("newcomer");
        factory.setPassword("new");
        start(track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange(target)
                .build()));

        awaitNotice("ACCESS_REFUSED");
        rabbit.server().control("change_password", "newcomer", "new");

        awaitReturn();
        assertArrived();
    }

    @Test
    void aFullQueueCostsTheOthersFewDuplicates() {
        target = rabbit.newTarget();
        String full = target + "-full";
        rabbit.broker().with(channel -> {
            channel.queueDeclare(full, true, false, false, Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
            return channel.queueBind(full, target, "#");
        });
        start(sender(target, SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT));
        write(20);
        await().atMost(PATIENCE).until(() -> !outbox.status().unavailable().isEmpty());
        write(50);
        assertThat(outbox.status().unavailable().get(0).cause()).contains("nack");
        await().pollDelay(Duration.ofSeconds(7)).until(() -> true);
        List<String> arrived = new ArrayList<>(rabbit.eventIds(target));

        assertThat(arrived.size() - arrived.stream().distinct().count())
                .as("one at a time, after 2 and 4 seconds")
                .isLessThanOrEqualTo(2);
        assertNoAttempts(backend);

        rabbit.broker().with(channel -> {
            channel.queueDelete(full);
            return null;
        });
        awaitDone();
        arrived.addAll(rabbit.eventIds(target));
        assertThat(arrived).containsAll(written);
        assertThat(arrived.size())
                .as("the batch that met the full queue came twice")
                .isLessThan(70 + 20 + 4);
    }

    /** Each event is the first of its route, so that the exchange as a whole has to be spared. */
    @Test
    void aQueueThatIsDrainedSlowlyCostsTheOthersFewDuplicatesThoughEachEventHasARoutingKey() throws Exception {
        target = rabbit.newTarget();
        String full = target + "-full";
        rabbit.broker().with(channel -> {
            channel.queueDeclare(full, true, false, false, Map.of("x-max-length", 3, "x-overflow", "reject-publish"));
            return channel.queueBind(full, target, "#");
        });
        start(track(RabbitEventPublisher.builder()
                .connectionFactory(rabbit.broker().factory(rabbit.proxy()))
                .exchange(target)
                .routingKey(event -> "orders." + event.eventId())
                .build()));
        write(20);
        await().atMost(PATIENCE).until(() -> !outbox.status().unavailable().isEmpty());
        write(80);

        try (Connection connection = rabbit.broker().factory().newConnection();
                Channel channel = connection.createChannel()) {
            await().pollInterval(Duration.ofMillis(50))
                    .atMost(Duration.ofSeconds(120))
                    .until(() -> {
                        channel.basicGet(full, true);
                        return done(backend) == written.size();
                    });
        }
        List<String> arrived = rabbit.eventIds(target);
        assertThat(arrived).containsAll(written);
        assertThat(arrived.size() - written.size())
                .as("what was under way at first, and about one for each probe of the queue")
                .isLessThan(2 * written.size());
        assertNoAttempts(backend);
    }
}
