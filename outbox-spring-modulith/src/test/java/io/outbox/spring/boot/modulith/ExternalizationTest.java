package io.outbox.spring.boot.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.modulith.ScriptedTransport.Sent;
import io.outbox.spring.boot.modulith.shop.OrderCancelled;
import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.Orders;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.modulith.events.support.OutboxEventExternalizerFactory;

/**
 * Events with @Externalized are written in the publishing transaction and delivered to Spring Modulith's transports.
 */
class ExternalizationTest {

    private static final String OUTBOX_MODE = "spring.modulith.events.externalization.mode=outbox";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private ConfigurableApplicationContext shop;

    private void start(Class<?> beans, String... settings) {
        String[] all = new String[settings.length + 1];
        all[0] = OUTBOX_MODE;
        System.arraycopy(settings, 0, all, 1, settings.length);
        shop = ShopApplication.start(List.of(beans), all);
    }

    @AfterEach
    void stop() {
        if (shop != null) {
            shop.close();
        }
    }

    @Test
    void anEventIsStoredInTheTransactionAndSentAsItWasPublished() {
        start(WithTransport.class);

        orders().publish(new OrderCompleted("1", 10), new OrderCancelled("2"));

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(rows()).singleElement().satisfies(row -> {
                    assertThat(row).containsEntry("EVENT_TYPE", "OrderCompleted#externalization");
                    assertThat(row.get("STATUS")).hasToString("1");
                }));
        assertThat(transport().sent()).singleElement().satisfies(sent -> {
            assertThat(sent.payload()).isEqualTo(new OrderCompleted("1", 10));
            assertThat(sent.target()).hasToString("orders::#{id()}");
        });
        assertThat(shop.getBean(Confirmations.class).externalized)
                .singleElement()
                .satisfies(confirmed -> assertThat(confirmed.getEvent()).isEqualTo(new OrderCompleted("1", 10)));
        assertThat(publications()).isZero();
    }

    @Test
    void aRolledBackEventIsNeverSent() {
        start(WithTransport.class);

        assertThatThrownBy(() -> orders().publishAndFail(new OrderCompleted("1", 10)))
                .hasMessageContaining("after all");

        orders().publish(new OrderCompleted("2", 20));
        await().atMost(LIMIT).until(() -> !transport().sent().isEmpty());
        assertThat(transport().sent()).extracting(Sent::payload).containsExactly(new OrderCompleted("2", 20));
        assertThat(rows()).hasSize(1);
    }

    @Test
    void anEventOutsideOfATransactionIsRefused() {
        start(WithTransport.class);

        assertThatThrownBy(() -> orders().publishWithoutTransaction(new OrderCompleted("1", 10)))
                .hasMessageContaining("No active transaction");

        orders().publishWithoutTransaction(new OrderCancelled("2"));
    }

    @Test
    void severalEventsAreHandedOverBeforeTheFirstIsAnswered() {
        start(WithTransport.class, "outbox.dispatcher.worker-count=1");
        List<CompletableFuture<Object>> open = new CopyOnWriteArrayList<>();
        transport().script(sent -> {
            open.add(new CompletableFuture<>());
            return open.get(open.size() - 1);
        });

        orders().publish(new OrderCompleted("1", 1));
        await().atMost(LIMIT).until(() -> open.size() == 1);
        orders().publish(new OrderCompleted("2", 2), new OrderCompleted("3", 3), new OrderCompleted("4", 4));
        open.get(0).complete("answered");

        await().atMost(LIMIT).until(() -> open.size() == 4);
        assertThat(open.subList(1, 4)).noneMatch(CompletableFuture::isDone);
        open.forEach(answer -> answer.complete("answered"));
        awaitStatus(1, 4);
    }

    @Test
    void aFailureIsRetriedAndEndsDead() {
        start(WithTransport.class, "outbox.dispatcher.max-attempts=3");
        transport().script(sent -> CompletableFuture.failedFuture(new IllegalArgumentException("no such exchange")));

        orders().publish(new OrderCompleted("1", 10));

        awaitStatus(3, 1);
        assertThat(transport().sent()).hasSize(3);
        assertThat(rows())
                .singleElement()
                .satisfies(row -> assertThat(row.get("LAST_ERROR").toString()).contains("no such exchange"));
    }

    @Test
    void anOutageOfTheBrokerCostsNoAttempt() {
        start(WithTransport.class, "outbox.dispatcher.max-attempts=1");
        AtomicInteger calls = new AtomicInteger();
        transport()
                .script(sent -> calls.incrementAndGet() < 4
                        ? CompletableFuture.failedFuture(new TimeoutException("broker down"))
                        : CompletableFuture.completedFuture("sent"));

        orders().publish(new OrderCompleted("1", 10));

        awaitStatus(1, 1);
        assertThat(calls).hasValue(4);
    }

    @Test
    void aMappingThatFailsIsTheEventsFailureAndNotThePublishers() {
        start(WithMapping.class, "outbox.dispatcher.max-attempts=2");

        orders().publish(new OrderCompleted("unmappable", 10), new OrderCompleted("2", 20));

        awaitStatus(3, 1);
        awaitStatus(1, 1);
        assertThat(transport().sent()).extracting(Sent::payload).containsExactly(Map.of("order", "2"));
    }

    @Test
    void aBeanOfTheApplicationIsATransportToo() {
        start(WithOwnTransport.class);

        orders().publish(new OrderCompleted("1", 10));

        await().atMost(LIMIT).until(() -> WithOwnTransport.SENT.contains(new OrderCompleted("1", 10)));
    }

    @Test
    void withoutAWayOutTheApplicationDoesNotStart() {
        assertThatThrownBy(() -> start(Object.class))
                .isInstanceOf(ModulithSetupException.class)
                .hasMessageContaining("nothing that would send");
    }

    @Test
    void instancesShareEventsUnlessAModeIsSet() {
        start(WithTransport.class);
        assertThat(shop.getEnvironment().getProperty("outbox.mode")).isEqualTo("multi-node");
        shop.close();

        start(WithTransport.class, "outbox.mode=single-node");
        assertThat(shop.getEnvironment().getProperty("outbox.mode")).isEqualTo("single-node");
    }

    @Test
    void aRenamedClassIsFoundByItsFormerName() {
        start(WithTransport.class, "outbox.modulith.renamed-classes[shop.OrderDone]=" + OrderCompleted.class.getName());

        jdbc().update("""
                INSERT INTO outbox_event (event_id, event_type, aggregate_type, payload, headers, status, attempts,
                    available_at, created_at)
                VALUES ('1', 'OrderDone#externalization', '__GLOBAL__', '{"id":"1","amount":10}',
                    '{"modulith_event_class":"shop.OrderDone"}', 0, 0, LOCALTIMESTAMP - INTERVAL '1' DAY,
                    LOCALTIMESTAMP - INTERVAL '1' DAY)
                """);

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(transport().sent())
                        .extracting(Sent::payload)
                        .containsExactly(new OrderCompleted("1", 10)));
    }

    private void awaitStatus(int status, int rows) {
        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(rows())
                        .filteredOn(row -> row.get("STATUS").toString().equals(String.valueOf(status)))
                        .hasSize(rows));
    }

    private Orders orders() {
        return shop.getBean(Orders.class);
    }

    private ScriptedTransport transport() {
        return shop.getBean(ScriptedTransport.class);
    }

    private JdbcTemplate jdbc() {
        return shop.getBean(JdbcTemplate.class);
    }

    private List<Map<String, Object>> rows() {
        return jdbc().queryForList("SELECT * FROM outbox_event ORDER BY event_id");
    }

    private int publications() {
        return jdbc().queryForObject("SELECT COUNT(*) FROM event_publication", Integer.class);
    }

    static class Confirmations {

        final List<EventExternalized<?, ?>> externalized = new CopyOnWriteArrayList<>();

        @EventListener
        void on(EventExternalized<?, ?> event) {
            externalized.add(event);
        }
    }

    static class WithTransport {

        @Bean
        ScriptedTransport transport(OutboxEventExternalizerFactory factory) {
            return new ScriptedTransport(factory);
        }

        @Bean
        Confirmations confirmations() {
            return new Confirmations();
        }
    }

    static class WithMapping extends WithTransport {

        @Bean
        EventExternalizationConfiguration externalization() {
            return EventExternalizationConfiguration.defaults(List.of("io.outbox.spring.boot.modulith.shop"))
                    .mapping(OrderCompleted.class, WithMapping::mapped)
                    .build();
        }

        private static Object mapped(OrderCompleted event) {
            if (event.id().equals("unmappable")) {
                throw new IllegalArgumentException("no schema for it");
            }
            return Map.of("order", event.id());
        }
    }

    static class WithOwnTransport {

        static final List<Object> SENT = new CopyOnWriteArrayList<>();

        @Bean
        EventExternalizationTransport ownTransport() {
            return (payload, target) -> CompletableFuture.completedFuture(SENT.add(payload));
        }
    }
}
