package io.outbox.spring.boot.modulith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.spring.boot.modulith.shop.OrderCancelled;
import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.OrderEvent;
import io.outbox.spring.boot.modulith.shop.Orders;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.core.EventPublicationRegistry;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Module listeners that the outbox serves, each with its own row and its own end. */
class ModuleListenersTest {

    private static final String SERVED = "outbox.modulith.listeners=true";
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private ConfigurableApplicationContext shop;

    private void start(Class<?> listeners, String... settings) {
        shop = ShopApplication.start(List.of(listeners), settings);
    }

    @AfterEach
    void stop() {
        if (shop != null) {
            shop.close();
        }
    }

    @Test
    void eachListenerHasItsOwnRowAndFate() {
        start(Inventory.class, SERVED, "outbox.dispatcher.max-attempts=3");

        orders().publish(new OrderCompleted("1", 10));

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(statuses())
                        .containsOnly(
                                Map.entry("OrderCompleted#inventory.reserve", 1),
                                Map.entry("OrderCompleted#inventory.fail", 3),
                                Map.entry("OrderCompleted#ledger", 1)));
        Inventory inventory = shop.getBean(Inventory.class);
        assertThat(inventory.calls("fail")).hasSize(3);
        assertThat(inventory.calls("reserve")).singleElement().satisfies(call -> {
            assertThat(call.event()).isEqualTo(new OrderCompleted("1", 10));
            assertThat(call.thread()).startsWith("outbox-");
            assertThat(call.inTransaction()).isTrue();
        });
        assertThat(publications()).isZero();
    }

    @Test
    void conditionsAndSupertypesAreSprings() {
        start(Inventory.class, SERVED);

        orders().publish(new OrderCancelled("2"), new OrderCompleted("3", 500));

        await().atMost(LIMIT)
                .untilAsserted(() -> assertThat(shop.getBean(Inventory.class).calls("ledger"))
                        .extracting(Call::event)
                        .containsExactlyInAnyOrder(new OrderCancelled("2"), new OrderCompleted("3", 500)));
        assertThat(statuses())
                .containsKeys("OrderCancelled#ledger", "OrderCompleted#inventory.large")
                .doesNotContainKey("OrderCancelled#inventory.reserve");
    }

    @Test
    void otherTransactionalListenersStayWithTheRegistry() {
        start(Classic.class, SERVED);

        orders().publish(new OrderCompleted("1", 10));

        await().atMost(LIMIT).until(() -> publications() == 1);
        assertThat(statuses()).isEmpty();
        assertThat(shop.getBean(Classic.class).events()).containsExactly(new OrderCompleted("1", 10));
    }

    @Test
    void withoutTheSettingTheRegistryServesAll() {
        start(Quiet.class);

        orders().publish(new OrderCompleted("1", 10));

        await().atMost(LIMIT).until(() -> shop.getBean(Quiet.class).events().size() == 1);
        assertThat(publications()).isEqualTo(1);
        assertThat(statuses()).isEmpty();
    }

    @Test
    void noRegistryIsNeeded() {
        start(
                Quiet.class,
                SERVED,
                "spring.autoconfigure.exclude=org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration");

        orders().publish(new OrderCompleted("1", 10));

        await().atMost(LIMIT).until(() -> shop.getBean(Quiet.class).events().size() == 1);
        assertThat(shop.getBeanNamesForType(EventPublicationRegistry.class)).isEmpty();
    }

    @Test
    void anEventOutsideOfATransactionIsRefusedAndNotDropped() {
        start(Quiet.class, SERVED);

        assertThatThrownBy(() -> orders().publishWithoutTransaction(new OrderCompleted("1", 10)))
                .hasMessageContaining("No active transaction");
    }

    @Test
    void methodsOfOneNameForTheSameEventsAreRefused() {
        assertThatThrownBy(() -> start(Ambiguous.class, SERVED))
                .rootCause()
                .isInstanceOf(ModulithSetupException.class)
                .hasMessage("There are two module listeners 'ambiguous.on' for the same events");
    }

    @Test
    void aNameThatIsTooLongForItsEventsIsRefused() {
        assertThatThrownBy(() -> start(LongNamed.class, SERVED))
                .rootCause()
                .isInstanceOf(ModulithSetupException.class)
                .hasMessageContaining(
                        "cannot be stored for events of class " + OrderThatWasCompletedByItsCustomer.class.getName())
                .hasMessageContaining("128");
    }

    private Orders orders() {
        return shop.getBean(Orders.class);
    }

    private Map<String, Integer> statuses() {
        return jdbc()
                .query(
                        "SELECT event_type, status FROM outbox_event",
                        (row, number) -> Map.entry(row.getString(1), row.getInt(2)))
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, Math::max));
    }

    private int publications() {
        return jdbc().queryForObject("SELECT COUNT(*) FROM event_publication", Integer.class);
    }

    private JdbcTemplate jdbc() {
        return shop.getBean(JdbcTemplate.class);
    }

    record Call(String method, Object event, String thread, boolean inTransaction) {}

    @Component("inventory")
    static class Inventory {

        private final List<Call> calls = new CopyOnWriteArrayList<>();

        List<Call> calls(String method) {
            return calls.stream().filter(call -> call.method().equals(method)).toList();
        }

        private void note(String method, Object event) {
            calls.add(new Call(
                    method,
                    event,
                    Thread.currentThread().getName(),
                    TransactionSynchronizationManager.isActualTransactionActive()));
        }

        @ApplicationModuleListener
        void reserve(OrderCompleted event) {
            note("reserve", event);
        }

        @ApplicationModuleListener
        void fail(OrderCompleted event) {
            note("fail", event);
            throw new IllegalStateException("out of stock");
        }

        @ApplicationModuleListener(id = "ledger")
        void book(OrderEvent event) {
            note("ledger", event);
        }

        @ApplicationModuleListener(condition = "#event.amount() > 100")
        void large(OrderCompleted event) {
            note("large", event);
        }
    }

    @Component("quiet")
    static class Quiet {

        private final List<Object> events = new CopyOnWriteArrayList<>();

        List<Object> events() {
            return events;
        }

        @ApplicationModuleListener
        void on(OrderCompleted event) {
            events.add(event);
        }

        @ApplicationModuleListener
        void on(OrderCancelled event) {
            events.add(event);
        }
    }

    @Component("classic")
    static class Classic {

        private final List<Object> events = new CopyOnWriteArrayList<>();

        List<Object> events() {
            return events;
        }

        @TransactionalEventListener
        void on(OrderCompleted event) {
            events.add(event);
        }
    }

    record OrderThatWasCompletedByItsCustomer(String number) {}

    @Component("longNamed")
    static class LongNamed {

        @ApplicationModuleListener(
                id =
                        "a-name-of-almost-one-hundred-characters-which-would-fit-alone-but-not-with-the-type-of-its-events")
        void on(OrderThatWasCompletedByItsCustomer event) {}
    }

    @Component("ambiguous")
    static class Ambiguous {

        @ApplicationModuleListener
        void on(OrderCompleted event) {}

        @ApplicationModuleListener
        void on(OrderEvent event) {}
    }
}
