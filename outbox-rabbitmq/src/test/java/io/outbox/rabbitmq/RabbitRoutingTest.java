package io.outbox.rabbitmq;

import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.rabbitmq.client.GetResponse;
import io.outbox.BatchOutcome;
import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.UnrecoverableException;
import io.outbox.testservers.RabbitServer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where events go, and what their messages have, by functions, routers and customizers. */
@Timeout(60)
class RabbitRoutingTest {

    private final Broker broker = new Broker(RabbitServer.shared());

    private RabbitEventPublisher.Builder publisher() {
        return RabbitEventPublisher.builder().connectionFactory(broker.factory());
    }

    private static List<BatchOutcome> send(RabbitEventPublisher.Builder publisher, EventEnvelope... events) {
        try (RabbitEventPublisher built = publisher.build()) {
            return built.onEvents(List.of(events));
        }
    }

    private static EventEnvelope order(String region) {
        return EventEnvelope.builder("order-created")
                .header("region", region)
                .payloadJson("{}")
                .build();
    }

    private static String routingKey(GetResponse message) {
        return message.getEnvelope().getRoutingKey();
    }

    @Test
    void everyPartOfAMessageCanBeComputed() {
        String exchange = broker.createExchangeWithQueue();
        Instant time = Instant.parse("2026-03-04T05:06:07Z");

        List<BatchOutcome> outcomes = send(
                publisher()
                        .exchange(exchange)
                        .routingKey(event -> "orders." + event.headers().get("region"))
                        .timestamp(event -> time)
                        .headers(event -> Map.of("region", "EU", "extra", "x")),
                order("eu"));

        assertThat(words(outcomes)).containsExactly("done");
        GetResponse message = broker.read(exchange).get(0);
        assertThat(routingKey(message)).isEqualTo("orders.eu");
        assertThat(message.getProps().getTimestamp()).isEqualTo(Date.from(time));
        assertThat(message.getProps().getHeaders().get("region")).hasToString("EU");
        assertThat(message.getProps().getHeaders().get("extra")).hasToString("x");
    }

    @Test
    void aRouterDecidesAndLeavesTheRestToTheFunctions() {
        String one = broker.createExchangeWithQueue();
        String other = broker.createExchangeWithQueue();

        List<BatchOutcome> outcomes = send(
                publisher()
                        .exchange(one)
                        .routingKey(event -> event.headers().get("region"))
                        .router(event -> event.headers().get("region").equals("us") ? OutboxRoute.to(other) : null),
                order("eu"),
                order("us"));

        assertThat(words(outcomes)).containsExactly("done", "done");
        assertThat(broker.read(one)).extracting(RabbitRoutingTest::routingKey).containsExactly("eu");
        assertThat(broker.read(other)).extracting(RabbitRoutingTest::routingKey).containsExactly("us");
    }

    @Test
    void customizersHaveTheLastWordButForTheMessageId() {
        String exchange = broker.createExchangeWithQueue();
        EventEnvelope event = order("eu");

        List<BatchOutcome> outcomes = send(
                publisher()
                        .exchange(exchange)
                        .customizer((outgoing, given) -> outgoing.withProperties(outgoing.properties()
                                .builder()
                                .messageId("mine")
                                .priority(7)
                                .expiration("60000")
                                .build()))
                        .customizer((outgoing, given) -> outgoing.withBody("other".getBytes(StandardCharsets.UTF_8))),
                event);

        assertThat(words(outcomes)).containsExactly("done");
        GetResponse message = broker.read(exchange).get(0);
        assertThat(message.getProps().getMessageId()).isEqualTo(event.eventId());
        assertThat(message.getProps().getPriority()).isEqualTo(7);
        assertThat(message.getProps().getExpiration()).isEqualTo("60000");
        assertThat(message.getBody()).isEqualTo("other".getBytes(StandardCharsets.UTF_8));
    }

    /** The broker returns it with its properties, by which alone it is known, and confirms it all the same. */
    @Test
    void aMessageThatNoQueueTakesHasFailedWhateverACustomizerMadeOfIt() {
        String exchange = broker.createExchange();

        List<BatchOutcome> outcomes = send(
                publisher()
                        .exchange(exchange)
                        .customizer((outgoing, event) -> outgoing.withProperties(
                                outgoing.properties().builder().messageId(null).build())),
                order("eu"));

        assertThat(words(outcomes)).containsExactly("failed");
        assertThat(reason(outcomes.get(0))).contains("unroutable");
    }

    @Test
    void anEventThatACustomizerFailsForFailsAlone() {
        String exchange = broker.createExchangeWithQueue();
        EventEnvelope bad = order("eu");

        List<BatchOutcome> outcomes = send(
                publisher().exchange(exchange).customizer((outgoing, event) -> event.equals(bad) ? null : outgoing),
                bad,
                order("us"));

        assertThat(words(outcomes)).containsExactly("failed", "done");
        assertThat(reason(outcomes.get(0))).contains("returned no message");
    }

    @Test
    void aTombstoneCanNeverBeSent() {
        EventEnvelope tombstone = EventEnvelope.builder("order-created")
                .aggregateId("1")
                .tombstone()
                .build();

        List<BatchOutcome> outcomes = send(publisher().exchange("any"), tombstone);

        assertThat(outcomes)
                .singleElement()
                .isInstanceOfSatisfying(
                        BatchOutcome.Failed.class,
                        failed -> assertThat(failed.error())
                                .isInstanceOf(UnrecoverableException.class)
                                .hasMessageContaining("tombstone"));
    }

    @Test
    void needsAnExchangeOrARouter() {
        assertThatNullPointerException().isThrownBy(() -> publisher().build()).withMessageContaining("exchange");
    }
}
