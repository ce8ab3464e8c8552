package io.outbox.rabbitmq;

import static io.outbox.testservers.broker.Outcomes.event;
import static io.outbox.testservers.broker.Outcomes.events;
import static io.outbox.testservers.broker.Outcomes.reason;
import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Address;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.testservers.RabbitServer;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(240)
class RabbitEventPublisherTest {

    private static RabbitServer server;
    private static Broker broker;

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void start() {
        server = RabbitServer.start("max_message_size = 10000");
        broker = new Broker(server);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @AfterEach
    void closeAndExpectNoThreads() throws Exception {
        for (AutoCloseable resource : open) {
            resource.close();
        }
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith("outbox-rabbitmq")));
    }

    @Test
    void aMessageCarriesKeyPayloadPropertiesAndAllHeaders() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        EventEnvelope sent = EventEnvelope.builder("order-created")
                .eventId("event-1")
                .occurredAt(Instant.parse("2026-03-04T05:06:07.123456Z"))
                .aggregateType("Order")
                .aggregateId("zamówienie-7")
                .tenantId("tenant-ß")
                .headers(Map.of(
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "city", "Łódź"))
                .payloadJson("{\"name\":\"żółw 🐢\"}")
                .build();

        DispatchResult result = publisher(exchange).onEvent(sent);

        assertThat(result).isEqualTo(DispatchResult.done());
        GetResponse message = broker.read(exchange).get(0);
        assertThat(message.getBody()).isEqualTo("{\"name\":\"żółw 🐢\"}".getBytes(StandardCharsets.UTF_8));
        assertThat(message.getEnvelope().getRoutingKey()).isEqualTo("order-created");
        AMQP.BasicProperties properties = message.getProps();
        assertThat(properties.getMessageId()).isEqualTo("event-1");
        assertThat(properties.getDeliveryMode()).isEqualTo(2);
        assertThat(properties.getContentType()).isEqualTo("application/json");
        assertThat(properties.getType()).isEqualTo("order-created");
        assertThat(properties.getTimestamp()).isEqualTo(Date.from(Instant.parse("2026-03-04T05:06:07Z")));
        Map<String, String> headers = new HashMap<>();
        properties.getHeaders().forEach((name, text) -> headers.put(name, text.toString()));
        assertThat(headers)
                .containsExactlyInAnyOrderEntriesOf(Map.of(
                        "outbox_event_id", "event-1",
                        "outbox_event_type", "order-created",
                        "outbox_aggregate_type", "Order",
                        "outbox_aggregate_id", "zamówienie-7",
                        "outbox_tenant_id", "tenant-ß",
                        "outbox_occurred_at", "2026-03-04T05:06:07.123456Z",
                        "traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
                        "city", "Łódź"));
    }

    @Test
    void anEventsOwnHeaderNeverReplacesAnOutboxHeader() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        EventEnvelope forged = EventEnvelope.builder("order-created")
                .eventId("true-id")
                .headers(Map.of("outbox_event_id", "forged", "outbox_tenant_id", "forged"))
                .payloadJson("{}")
                .build();

        publisher(exchange).onEvent(forged);

        Map<String, Object> headers = broker.read(exchange).get(0).getProps().getHeaders();
        assertThat(headers.get("outbox_event_id")).hasToString("true-id");
        assertThat(headers).doesNotContainKey("outbox_tenant_id");
    }

    @Test
    void aBinaryPayloadArrivesByteForByteAsAnOctetStream() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        byte[] payload = {0, 1, -1, (byte) 0xc3, 0x28, 127, -128};

        publisher(exchange)
                .onEvent(EventEnvelope.builder("avro").payloadBytes(payload).build());

        GetResponse message = broker.read(exchange).get(0);
        assertThat(message.getBody()).isEqualTo(payload);
        assertThat(message.getProps().getContentType()).isEqualTo("application/octet-stream");
    }

    @Test
    void aBatchIsSentInOrderWithOneOutcomeEach() {
        String exchange = broker.createExchangeWithQueue();
        List<EventEnvelope> batch = events(100);

        List<BatchOutcome> outcomes = publisher(exchange).onEvents(batch);

        assertThat(words(outcomes)).hasSize(100).containsOnly("done");
        assertThat(broker.messageIds(exchange))
                .isEqualTo(batch.stream().map(EventEnvelope::eventId).toList());
    }

    /** One of them has a message larger than any before, which is not sent together with others. */
    @Test
    void batchesBegunBeforeOthersAreConfirmedKeepTheirOrder() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange);
        List<EventEnvelope> first = events(1);
        publisher.onEvents(first);
        List<EventEnvelope> all = new ArrayList<>(first);
        List<BatchEventListener.Pending> pending = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            List<EventEnvelope> batch = new ArrayList<>(events(50));
            if (i == 7) {
                batch.set(25, event("\"" + "x".repeat(500) + "\""));
            }
            all.addAll(batch);
            pending.add(publisher.begin(batch, List.of(), silence -> {}));
        }

        assertThat(wordsOf(pending)).hasSize(1_000).containsOnly("done");
        assertThat(broker.messageIds(exchange))
                .isEqualTo(all.stream().map(EventEnvelope::eventId).toList());
        assertThat(server.control("list_channels", "confirm").lines().filter("true"::equals))
                .as("batches of a thread share a channel")
                .hasSize(1);
    }

    /** The broker closes the channel, with the confirms of all batches under way. */
    @Test
    void aMessageThatTheBrokerRefusesCostsNoBatchBesideItAnything() throws Exception {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(RabbitEventPublisher.builder()
                .exchange(exchange)
                .customizer((message, event) -> event.payloadJson().contains("forged")
                        ? message.withProperties(
                                message.properties().builder().userId("nobody").build())
                        : message));
        publisher.onEvents(List.of(event("\"the largest of all\"")));
        List<BatchEventListener.Pending> pending = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            List<EventEnvelope> batch = new ArrayList<>(events(5));
            if (i == 2) {
                batch.set(3, event("\"forged\""));
            }
            pending.add(publisher.begin(batch, List.of(), silence -> {}));
        }

        List<String> words = wordsOf(pending);

        assertThat(words.remove(2 * 5 + 3)).isEqualTo("dead");
        assertThat(words).hasSize(24).containsOnly("done");
        assertThat(broker.messageIds(exchange).stream().distinct()).hasSize(25);
    }

    private static List<String> wordsOf(List<BatchEventListener.Pending> pending) throws Exception {
        List<String> words = new ArrayList<>();
        for (BatchEventListener.Pending batch : pending) {
            words.addAll(words(batch.outcomes()));
        }
        return words;
    }

    @Test
    void messagesShareWritesUnlessTheUserMakesTheSockets() {
        String exchange = broker.createExchangeWithQueue();
        List<Socket> sockets = new CopyOnWriteArrayList<>();
        ConnectionFactory factory = broker.factory();
        factory.setSocketConfigurator(sockets::add);
        ConnectionFactory ownSockets = factory.clone();
        ownSockets.setSocketFactory(SocketFactory.getDefault());

        for (ConnectionFactory each : List.of(factory, ownSockets)) {
            try (RabbitEventPublisher publisher = RabbitEventPublisher.builder()
                    .connectionFactory(each)
                    .exchange(exchange)
                    .build()) {
                assertThat(words(publisher.onEvents(events(3)))).containsOnly("done");
            }
        }

        assertThat(sockets).hasSize(2);
        assertThat(sockets.get(0)).isInstanceOf(PackingSocket.class);
        assertThat(sockets.get(1)).isNotInstanceOf(PackingSocket.class);
    }

    @Test
    void theDefaultExchangeTakesTheEventTypeAsTheNameOfAQueue() throws Exception {
        broker.with(channel -> channel.queueDeclare("order-created", true, false, false, null));

        DispatchResult result = publisher("").onEvent(event("{}"));

        assertThat(result).isEqualTo(DispatchResult.done());
        assertThat(broker.read("order-created")).hasSize(1);
    }

    @Test
    void anUnroutableEventIsAFailureWithTheReplyText() {
        String exchange = broker.createExchange();
        broker.with(channel -> {
            channel.queueDeclare(exchange, true, false, false, null);
            return channel.queueBind(exchange, exchange, "bound");
        });
        List<EventEnvelope> batch = List.of(
                EventEnvelope.ofJson("bound", "1"),
                EventEnvelope.ofJson("unbound", "2"),
                EventEnvelope.ofJson("bound", "3"),
                EventEnvelope.ofJson("unbound", "4"));

        List<BatchOutcome> outcomes = publisher(exchange).onEvents(batch);

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed");
        assertThat(reason(outcomes.get(1)))
                .contains("312 NO_ROUTE")
                .contains(exchange)
                .contains("'unbound'");
        assertThat(broker.read(exchange)).hasSize(2);
    }

    @Test
    void aQueueThatIsFullIsAnOutageUntilItHasRoom() {
        String exchange = broker.createExchange();
        broker.createQueue(exchange, Map.of("x-max-length", 2, "x-overflow", "reject-publish"));
        RabbitEventPublisher publisher = publisher(exchange);

        List<BatchOutcome> outcomes = publisher.onEvents(events(4));

        assertThat(words(outcomes)).containsExactly("done", "done", "unavailable", "unavailable");
        assertThat(reason(outcomes.get(2))).contains("nack");
        broker.read(exchange);
        await().untilAsserted(
                        () -> assertThat(words(publisher.onEvents(events(1)))).containsExactly("done"));
    }

    @Test
    void aMissingExchangeIsAFailureOfItsOwnEventsAtOnce() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(RabbitEventPublisher.builder()
                .exchange(event -> event.payloadJson().contains("lost") ? "missing" : exchange));
        List<EventEnvelope> batch = List.of(event("1"), event("\"lost\""), event("2"), event("\"lost\""), event("3"));

        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed", "done");
        assertThat(reason(outcomes.get(1))).contains("404 NOT_FOUND").contains("missing");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        assertThat(broker.messageIds(exchange)).hasSize(3).doesNotHaveDuplicates();

        assertThat(words(publisher.onEvents(batch))).containsExactly("done", "failed", "done", "failed", "done");
        broker.with(channel -> {
            channel.exchangeDeclare("missing", "topic", true);
            return channel.queueBind(exchange, "missing", "#");
        });
        await("the broker is asked again after some seconds")
                .atMost(Duration.ofSeconds(30))
                .until(() -> !words(publisher.onEvents(batch)).contains("failed"));
        broker.deleteExchange("missing");
    }

    @Test
    void theConnectionHasTheNameThatItIsGiven() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher =
                publisher(RabbitEventPublisher.builder().exchange(exchange).connectionName("shop-outbox"));
        publisher.onEvents(events(1));

        assertThat(server.control("list_connections", "client_properties")).contains("shop-outbox");
    }

    @Test
    void anExchangeThatAppearsIsUsedAndOneThatDisappearsIsNoticedAtOnceWithoutHarmToOthers() {
        String steady = broker.createExchangeWithQueue();
        String fleeting = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(RabbitEventPublisher.builder()
                .exchange(event -> event.payloadJson().contains("fleeting") ? fleeting : steady));
        List<EventEnvelope> batch = List.of(event("1"), event("\"fleeting\""), event("2"), event("\"fleeting 2\""));
        assertThat(words(publisher.onEvents(batch))).containsOnly("done");

        broker.deleteExchange(fleeting);
        long start = System.nanoTime();
        List<BatchOutcome> outcomes = publisher.onEvents(batch);

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed");
        assertThat(reason(outcomes.get(1))).contains("404 NOT_FOUND").contains(fleeting);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));

        broker.with(channel -> {
            channel.exchangeDeclare(fleeting, "topic", true);
            return channel.queueBind(fleeting, fleeting, "#");
        });
        assertThat(words(publisher.onEvents(batch))).containsOnly("done");
    }

    @Test
    void anExchangeThatMayNotBeWrittenToIsAFailureOfItsOwnEvents() {
        String exchange = broker.createExchangeWithQueue();
        String forbidden = broker.createExchange();
        server.control("add_user", "limited", "secret");
        server.control("set_permissions", "limited", ".*", "^" + exchange + "$", ".*");
        ConnectionFactory factory = broker.factory();
        factory.setUsername("limited");
        factory.setPassword("secret");
        RabbitEventPublisher publisher = track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange(event -> event.payloadJson().contains("forbidden") ? forbidden : exchange)
                .build());

        List<BatchOutcome> outcomes =
                publisher.onEvents(List.of(event("1"), event("\"forbidden\""), event("2"), event("\"forbidden\"")));

        assertThat(words(outcomes)).containsExactly("done", "failed", "done", "failed");
        assertThat(reason(outcomes.get(1))).contains("403 ACCESS_REFUSED").contains(forbidden);
    }

    @Test
    void aMessageTooLargeForTheBrokerIsDeadAndItsNeighboursAreDone() {
        String exchange = broker.createExchangeWithQueue();
        List<EventEnvelope> batch = new ArrayList<>(events(20));
        batch.set(10, event("\"" + "x".repeat(11_000) + "\""));

        List<BatchOutcome> outcomes = publisher(exchange).onEvents(batch);

        List<String> expected = new ArrayList<>(Collections.nCopies(20, "done"));
        expected.set(10, "dead");
        assertThat(words(outcomes)).isEqualTo(expected);
        assertThat(reason(outcomes.get(10))).contains("406 PRECONDITION_FAILED").doesNotContain("xxx");
        assertThat(broker.messageIds(exchange))
                .containsExactlyElementsOf(batch.stream()
                        .filter(event -> event != batch.get(10))
                        .map(EventEnvelope::eventId)
                        .toList());
    }

    @Test
    void messagesTooLargeForTheBrokerMakeNoDuplicatesOfOthers() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(exchange);

        for (int i = 0; i < 5; i++) {
            List<EventEnvelope> batch = new ArrayList<>(events(98));
            batch.add(30, event("\"" + "x".repeat(11_000) + "\""));
            batch.add(70, event("\"" + "x".repeat(12_000) + "\""));
            assertThat(words(publisher.onEvents(batch)))
                    .filteredOn(word -> word.equals("dead"))
                    .hasSize(2);
        }

        assertThat(broker.messageIds(exchange)).hasSize(490).doesNotHaveDuplicates();
    }

    @Test
    void anEventThatAmqpCannotExpressIsDeadAndItsNeighboursAreDone() {
        String exchange = broker.createExchangeWithQueue();
        EventEnvelope longKey = EventEnvelope.ofJson("ż".repeat(128), "{}");
        EventEnvelope longHeader = EventEnvelope.builder("t")
                .headers(Map.of("h".repeat(300), "x"))
                .payloadJson("{}")
                .build();
        RabbitEventPublisher publisher = publisher(exchange);

        List<BatchOutcome> outcomes =
                publisher.onEvents(List.of(event("1"), longKey, event("2"), longHeader, event("3")));

        assertThat(words(outcomes)).containsExactly("done", "dead", "done", "dead", "done");
        assertThat(words(publisher.onEvents(events(3)))).containsOnly("done");
        assertThat(broker.read(exchange)).hasSize(6);
    }

    @Test
    void aRoutingFunctionThatKnowsNoExchangeFailsOnlyThatEvent() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher =
                publisher(RabbitEventPublisher.builder().exchange(event -> switch (event.payloadJson()) {
                    case "null" -> null;
                    case "throw" -> throw new IllegalArgumentException("no idea");
                    case "long" -> "x".repeat(300);
                    default -> exchange;
                }));

        List<BatchOutcome> outcomes =
                publisher.onEvents(List.of(event("1"), event("null"), event("throw"), event("long"), event("2")));

        assertThat(words(outcomes)).containsExactly("done", "failed", "failed", "dead", "done");
        assertThat(reason(outcomes.get(1))).contains("order-created");
        assertThat(reason(outcomes.get(2))).isEqualTo("no idea");
    }

    @Test
    void aThousandBatchesLeaveOneConnectionAndAChannelPerWorker() {
        String exchange = broker.createExchangeWithQueue();
        String unbound = broker.createExchange();
        RabbitEventPublisher publisher =
                publisher(RabbitEventPublisher.builder().exchange(event -> switch (event.payloadJson()) {
                    case "\"missing\"" -> "missing";
                    case "\"unroutable\"" -> unbound;
                    default -> exchange;
                }));
        List<EventEnvelope> batch =
                List.of(event("1"), event("\"missing\""), event("\"unroutable\""), event("2"), event("3"));
        ExecutorService workers = Executors.newFixedThreadPool(4);
        open.add(workers::shutdownNow);

        List<CompletableFuture<List<String>>> results = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            results.add(CompletableFuture.supplyAsync(() -> words(publisher.onEvents(batch)), workers));
        }

        assertThat(results)
                .allSatisfy(result ->
                        assertThat(result.join()).containsExactly("done", "failed", "failed", "done", "done"));
        assertThat(server.control("list_connections", "client_properties").lines())
                .hasSize(1);
        assertThat(server.control("list_channels", "number").lines()).hasSizeLessThanOrEqualTo(4);
        assertThat(broker.read(exchange)).hasSize(3_000);
    }

    @Test
    void theUsersConnectionFactoryIsNotChanged() {
        ConnectionFactory factory = broker.factory();
        factory.setAutomaticRecoveryEnabled(true);
        int rpcTimeout = factory.getChannelRpcTimeout();

        track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange("")
                .emergencyTimeout(Duration.ofSeconds(1))
                .build());

        assertThat(factory.isAutomaticRecoveryEnabled()).isTrue();
        assertThat(factory.getChannelRpcTimeout()).isEqualTo(rpcTimeout);
    }

    @Test
    void theNextNodeOfAClusterIsTriedWhenOneIsDown() {
        String exchange = broker.createExchangeWithQueue();
        RabbitEventPublisher publisher = publisher(RabbitEventPublisher.builder()
                .exchange(exchange)
                .addresses(List.of(new Address("127.0.0.1", 1), new Address("127.0.0.1", server.port()))));

        assertThat(words(publisher.onEvents(events(1)))).containsExactly("done");
    }

    @Test
    void aClosedPublisherReportsTheRouteAsUnavailable() {
        RabbitEventPublisher publisher = publisher(broker.createExchangeWithQueue());
        publisher.onEvents(events(1));
        publisher.close();

        assertThat(words(publisher.onEvents(events(2)))).containsExactly("unavailable", "unavailable");
    }

    @Test
    void aWrongPasswordIsAnOutage() {
        ConnectionFactory factory = broker.factory();
        factory.setPassword("wrong");
        RabbitEventPublisher publisher = track(RabbitEventPublisher.builder()
                .connectionFactory(factory)
                .exchange("")
                .build());

        List<BatchOutcome> outcomes = publisher.onEvents(events(1));

        assertThat(words(outcomes)).containsExactly("unavailable");
        assertThat(reason(outcomes.get(0))).contains("ACCESS_REFUSED").doesNotContain("wrong");
    }

    @Test
    void settingsAreChecked() {
        RabbitEventPublisher.Builder builder = RabbitEventPublisher.builder();

        assertThatThrownBy(() -> builder.batchSize(0)).hasMessage("batchSize must be at least 1: 0");
        assertThatThrownBy(() -> builder.emergencyTimeout(Duration.ZERO)).hasMessageContaining("PT0S");
        assertThatThrownBy(builder::build).hasMessageContaining("connectionFactory is required");
        assertThatThrownBy(() -> builder.connectionFactory(broker.factory()).build())
                .hasMessageContaining("exchange is required");
        assertThat(publisher(RabbitEventPublisher.builder().exchange("").batchSize(7))
                        .maxBatchSize())
                .isEqualTo(7);
    }

    private RabbitEventPublisher publisher(String exchange) {
        return publisher(RabbitEventPublisher.builder().exchange(exchange));
    }

    private RabbitEventPublisher publisher(RabbitEventPublisher.Builder builder) {
        return track(builder.connectionFactory(broker.factory()).build());
    }

    private RabbitEventPublisher track(RabbitEventPublisher publisher) {
        open.add(publisher);
        return publisher;
    }
}
