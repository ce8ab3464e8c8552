package io.outbox.spring.boot.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.UnrecoverableException;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxPublisherProperties;
import io.outbox.spring.boot.OutboxPublisherProperties.SenderType;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.testservers.support.CapturedLog;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.mock.env.MockEnvironment;

/** What the settings of an event type say about the route of an event. */
class BrokerRouterTest {

    private static final Instant TIME = Instant.parse("2026-03-04T05:06:07.123456Z");

    private final AtomicInteger read = new AtomicInteger();

    private final EventEnvelope event = EventEnvelope.builder("placed")
            .aggregateType("Order")
            .aggregateId("o-1")
            .tenantId("acme")
            .occurredAt(TIME)
            .header("region", "eu")
            .header("shard", "3")
            .payloadJson("{}")
            .build()
            .readBy(new JsonCodec() {
                @Override
                public String toJson(Object object) {
                    throw new UnsupportedOperationException();
                }

                @Override
                public <T> T fromJson(String json, Class<T> type) {
                    read.incrementAndGet();
                    return type.cast(Map.of("customer", Map.of("id", 42), "lines", List.of("a", "b")));
                }
            });

    private static BrokerRouter routes(SenderType broker, OutboxRouter own, Consumer<Map<String, Object>> settings) {
        return routes(broker, own, new MockEnvironment(), settings);
    }

    private static BrokerRouter routes(
            SenderType broker, OutboxRouter own, MockEnvironment environment, Consumer<Map<String, Object>> settings) {
        Map<String, Object> placed = new HashMap<>(Map.of("topic", "orders", "concurrency", 1));
        settings.accept(placed);
        Map<String, Object> all = new HashMap<>(Map.of("outbox.publisher.sender.type", broker));
        placed.forEach((name, value) -> all.put("outbox.publisher.events.placed." + name, value));
        OutboxPublisherProperties publisher = new Binder(new MapConfigurationPropertySource(all))
                .bind("outbox.publisher", OutboxPublisherProperties.class)
                .get();
        return new BrokerRouter(publisher, own, null, new OrderHint(new ExplicitSettings(environment)));
    }

    @ParameterizedTest
    @CsvSource({
        "key, key, '', true",
        "key, key, '#{payload.customer.id}', true",
        "key, partition, 3, true",
        "key, partition, '#{key.length() % 2}', false",
        "key, partition, '#{aggregateId.length()}', false",
        "key, partition, '#{headers.shard}', true",
        "key, partition, '#{key.length() + headers.shard.length()}', true",
        "key, key, '#{aggregateId}', false",
        "key, key, o-1, false",
        "none, key, '', false"
    })
    void aRouteThatKeepsAnotherOrderThanTheOutboxIsWarnedOfOnce(
            String ordering, String part, String value, boolean isWarnedOf) {
        MockEnvironment environment = new MockEnvironment().withProperty("outbox.ordering", ordering);
        BrokerRouter routes = routes(SenderType.KAFKA, null, environment, settings -> settings.put(part, value));
        try (CapturedLog log = CapturedLog.open()) {
            write(routes, event);
            write(routes, event);

            if (isWarnedOf) {
                assertThat(log.text())
                        .containsOnlyOnce("Events of type placed are sent in the order of their key")
                        .contains("outbox.publisher.events.placed." + part)
                        .contains("outbox.keyed.except-types");
            } else {
                assertThat(log.text()).isEmpty();
            }
        }
    }

    @Test
    void theOrderOfATypeThatKeepsNoneIsNotWarnedOf() {
        MockEnvironment environment = new MockEnvironment()
                .withProperty("outbox.ordering", "key")
                .withProperty("outbox.keyed.except-types[0]", "placed");
        BrokerRouter routes = routes(SenderType.KAFKA, null, environment, settings -> settings.put("key", ""));
        try (CapturedLog log = CapturedLog.open()) {
            write(routes, event);

            assertThat(log.text()).isEmpty();
        }
    }

    private static BrokerRouter routes(Consumer<Map<String, Object>> settings) {
        return routes(SenderType.KAFKA, null, settings);
    }

    private static void write(BrokerRouter routes, EventEnvelope event) {
        routes.beforeWrite(List.of(event));
    }

    @ParameterizedTest
    @CsvSource({
        "orders, orders",
        "orders-#{headers['region']}, orders-eu",
        "orders-#{headers.region}-#{aggregateType}, orders-eu-Order",
        "#{eventType}.#{tenantId}.#{aggregateId}, placed.acme.o-1",
        "customer-#{payload['customer']['id']}, customer-42",
        "customer-#{payload.customer.id}, customer-42",
        "lines-#{payload.lines.size()}, lines-2",
        "#{headers['region'] == 'eu' ? 'europe' : 'world'}, europe",
        "#{headers['none'] ?: 'fallback'}, fallback",
        "#{key}-#{eventId.length()}, o-1-26"
    })
    void aTopicIsAConstantOrComputed(String text, String topic) {
        assertThat(routes(settings -> settings.put("topic", text)).route(event).topic())
                .isEqualTo(topic);
    }

    @Test
    void everyPartCanBeComputed() {
        OutboxRoute route = routes(settings -> {
                    settings.put("key", "#{payload.customer.id}");
                    settings.put("partition", "#{headers['shard']}");
                    settings.put("timestamp", "#{occurredAt}");
                    settings.put("headers", Map.of("place", "#{headers['region']}", "kind", "order"));
                })
                .route(event);

        assertThat(route)
                .isEqualTo(OutboxRoute.builder()
                        .topic("orders")
                        .key("42")
                        .partition(3)
                        .timestamp(TIME)
                        .header("place", "eu")
                        .header("kind", "order")
                        .build());
    }

    @Test
    void aTimeIsAnInstantOrATextOrMilliseconds() {
        assertThat(List.of("#{occurredAt}", "2026-03-04T05:06:07.123456Z", "#{1772600767123L}"))
                .allSatisfy(text -> assertThat(routes(settings -> settings.put("timestamp", text))
                                .route(event)
                                .timestamp())
                        .isBetween(TIME.minusMillis(1), TIME));
    }

    @ParameterizedTest
    @ValueSource(strings = {"#{-1}", "#{-5000000000000000L}", "#{'+12026-01-01T00:00:00Z'}"})
    void aTimeThatNoMessageCanHaveIsRefusedAtTheWrite(String text) {
        BrokerRouter routes = routes(settings -> settings.put("timestamp", text));

        assertThatExceptionOfType(UnrecoverableException.class)
                .isThrownBy(() -> write(routes, event))
                .withMessageContaining("is not between 1970 and the year 9999");
    }

    @Test
    void aHeaderThatLooksLikeBytesAndIsNoneIsRefusedAtTheWrite() {
        EventEnvelope forged =
                event.toBuilder().header("outbox_bytes:x", "no Base64!").build();

        assertThatExceptionOfType(UnrecoverableException.class)
                .isThrownBy(() -> write(routes(settings -> {}), forged))
                .withMessageContaining("outbox_bytes:x")
                .withMessageContaining("give it another name");
    }

    @Test
    void aRoutingKeyThatAmqpCannotExpressIsRefusedAtTheWrite() {
        BrokerRouter routes =
                routes(SenderType.RABBIT_MQ, null, settings -> settings.put("routing-key", "#{headers['region']}"));
        EventEnvelope wordy =
                event.toBuilder().header("region", "ä".repeat(128)).build();

        assertThatExceptionOfType(UnrecoverableException.class)
                .isThrownBy(() -> write(routes, wordy))
                .withMessageContaining("routing key has 256 bytes");
    }

    @Test
    void aTypeThatAmqpCannotExpressIsRefusedAtTheWriteThoughItsRouteIsConstant() {
        String type = "ä".repeat(128);
        OutboxPublisherProperties publisher = new Binder(new MapConfigurationPropertySource(Map.of(
                        "outbox.publisher.sender.type",
                        SenderType.RABBIT_MQ,
                        "outbox.publisher.events[" + type + "].topic",
                        "orders")))
                .bind("outbox.publisher", OutboxPublisherProperties.class)
                .get();
        BrokerRouter routes =
                new BrokerRouter(publisher, null, null, new OrderHint(new ExplicitSettings(new MockEnvironment())));

        assertThatExceptionOfType(UnrecoverableException.class)
                .isThrownBy(() -> write(routes, EventEnvelope.ofJson(type, "{}")))
                .withMessageContaining("its type has 256 bytes, but RabbitMQ takes at most 255");
    }

    @Test
    void aHeaderNameThatAmqpCannotExpressIsRefusedAtTheWriteThoughTheRouteIsConstant() {
        EventEnvelope wordy = event.toBuilder().header("ä".repeat(128), "value").build();

        assertThatExceptionOfType(UnrecoverableException.class)
                .isThrownBy(() -> write(routes(SenderType.RABBIT_MQ, null, settings -> {}), wordy))
                .withMessageContaining("its header's name has 256 bytes");
        write(routes(settings -> {}), wordy);
    }

    @Test
    void aLoneExpressionThatGivesNullIsAsIfTheSettingWereNotMade() {
        String none = "#{headers['none']}";

        OutboxRoute route = routes(settings -> {
                    settings.put("key", none);
                    settings.put("partition", none);
                    settings.put("timestamp", none);
                    settings.put("headers", Map.of("x", none));
                })
                .route(event);

        assertThat(route).isEqualTo(OutboxRoute.to("orders"));
    }

    @Test
    void constantsNeedNoPayloadAndNoExpression() {
        BrokerRouter routes = routes(settings -> settings.put("headers", Map.of("kind", "order")));

        assertThat(routes.route(event)).isSameAs(routes.route(event));
        routes(settings -> settings.put("topic", "orders-#{headers['region']}")).route(event);

        assertThat(read).hasValue(0);
    }

    @Test
    void readsThePayloadOnceHoweverManyExpressionsUseIt() {
        routes(settings -> {
                    settings.put("topic", "c-#{payload.customer.id}");
                    settings.put("key", "#{payload.customer.id}-#{payload.lines[0]}");
                })
                .route(event);

        assertThat(read).hasValue(1);
    }

    @ParameterizedTest
    @CsvSource({
        "topic, orders-#{headers['none']}, is null",
        "topic, orders-#{nonsense}, nonsense",
        "topic, no topic #{eventType}, not a valid name for a Kafka topic",
        "partition, #{headers['region']}, not a whole number",
        "partition, #{-1}, negative",
        "timestamp, #{headers['region']}, is not a time"
    })
    void anEventWithoutARouteIsRefusedWhenItIsWrittenAndNeverSent(String part, String text, String reason) {
        BrokerRouter routes = routes(settings -> {
            switch (part) {
                case "topic" -> settings.put("topic", text);
                case "partition" -> settings.put("partition", text);
                default -> settings.put("timestamp", text);
            }
        });

        assertThatThrownBy(() -> write(routes, event))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessageContainingAll(event.eventId(), "outbox.publisher.events.placed." + part, text, reason);
        assertThatThrownBy(() -> routes.route(event)).isInstanceOf(UnrecoverableException.class);
    }

    @Test
    void nothingCanBeReadOfABinaryPayload() {
        BrokerRouter routes = routes(settings -> settings.put("topic", "c-#{payload.customer}"));

        assertThatThrownBy(() -> write(
                        routes,
                        EventEnvelope.builder("placed")
                                .payloadBytes(new byte[1])
                                .build()))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessageContaining("binary");
    }

    @Test
    void eventsOfOtherTypesAreNoBusinessOfTheRoutes() {
        BrokerRouter routes = routes(settings -> settings.put("topic", "orders-#{nonsense}"));

        write(routes, EventEnvelope.ofJson("other", "{}"));

        assertThat(routes.route(EventEnvelope.ofJson("other", "{}"))).isEqualTo(OutboxRoute.open());
    }

    @ParameterizedTest
    @CsvSource({
        "topic, orders-#{headers[",
        "topic, orders-#{",
        "topic, no topic",
        "partition, first",
        "partition, -1",
        "timestamp, yesterday"
    })
    void aSettingThatCanNeverBeUsedEndsTheStart(String part, String text) {
        assertThatThrownBy(() -> routes(settings -> {
                    switch (part) {
                        case "topic" -> settings.put("topic", text);
                        case "partition" -> settings.put("partition", text);
                        default -> settings.put("timestamp", text);
                    }
                }))
                .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, refused -> {
                    assertThat(refused.getName()).isEqualTo("outbox.publisher.events.placed." + part);
                    assertThat(refused.getValue()).isEqualTo(text);
                });
    }

    @Test
    void aHeaderOfTheOutboxItselfIsNotForSettings() {
        assertThatThrownBy(() -> routes(settings -> settings.put("headers", Map.of("outbox_event_id", "forged"))))
                .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                .hasMessageContaining("outbox_event_id");
    }

    @Test
    void theApplicationsRouterComesFirst() {
        BrokerRouter routes = routes(
                SenderType.KAFKA,
                event -> event.headers().containsKey("region") ? OutboxRoute.to("by-router") : null,
                settings -> {
                    settings.put("topic", "orders-#{headers['vip']}");
                    settings.put("key", "#{tenantId}");
                });

        assertThat(routes.route(event))
                .isEqualTo(OutboxRoute.builder().topic("by-router").key("acme").build());
        EventEnvelope other = EventEnvelope.builder("placed")
                .header("vip", "1")
                .payloadJson("{}")
                .build();
        assertThat(routes.route(other)).isEqualTo(OutboxRoute.to("orders-1"));
    }

    @Test
    void whatTheApplicationsRouterGetsWrongIsRefusedWhenItIsWritten() {
        Consumer<Map<String, Object>> withoutTopic = settings -> settings.remove("topic");

        assertThatThrownBy(() -> write(routes(SenderType.KAFKA, event -> null, withoutTopic), event))
                .hasMessageContainingAll(event.eventId(), "topic");
        assertThatThrownBy(
                        () -> write(routes(SenderType.KAFKA, event -> OutboxRoute.to("no topic"), withoutTopic), event))
                .hasMessageContaining("no topic");
        assertThatThrownBy(() -> write(
                        routes(
                                SenderType.KAFKA,
                                event -> {
                                    throw new IllegalStateException("not today");
                                },
                                withoutTopic),
                        event))
                .hasMessage("not today");
    }

    @Test
    void aTombstoneNeedsKafkaAndAKey() {
        EventEnvelope tombstone =
                EventEnvelope.builder("placed").aggregateId("o-1").tombstone().build();
        EventEnvelope anonymous = EventEnvelope.builder("placed").tombstone().build();
        Consumer<Map<String, Object>> plain = settings -> {};

        write(routes(SenderType.KAFKA, null, plain), tombstone);
        write(routes(SenderType.KAFKA, null, settings -> settings.put("key", "all")), anonymous);

        assertThatThrownBy(() -> write(routes(SenderType.KAFKA, null, plain), anonymous))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessageContaining("without a key");
        assertThatThrownBy(() -> write(routes(SenderType.RABBIT_MQ, null, plain), tombstone))
                .isInstanceOf(UnrecoverableException.class)
                .hasMessageContaining("RabbitMQ");
    }
}
