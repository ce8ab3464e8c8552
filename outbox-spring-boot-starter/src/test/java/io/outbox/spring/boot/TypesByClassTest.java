package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.spi.JsonCodec;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Component;

/** The class of a payload is the type of its event, for publishers and for listeners, of whatever kind the class is. */
class TypesByClassTest {

    sealed interface OrderEvent permits Placed, Changed {}

    @Outboxed(type = "order-placed", aliases = "${shop.former:OrderPlaced}")
    record Placed(String id) implements OrderEvent {}

    sealed interface Changed extends OrderEvent permits Moved, Cancelled {}

    record Moved(String id, String to) implements Changed {}

    record Cancelled(String id) implements Changed {}

    interface Payment {}

    @Outboxed(aggregateType = "Order", aggregateId = "#{id}")
    record Paid(String id) implements Payment {}

    @Outboxed
    record Refunded(String id) implements Payment {}

    record Declined(String id) implements Payment {}

    @Outboxed(type = "#{kind}")
    record Computed(String kind) {}

    @Component
    static class Seen {
        final List<Object> all = Collections.synchronizedList(new ArrayList<>());

        void await(Object... expected) {
            Awaitility.await().untilAsserted(() -> assertThat(List.copyOf(all)).containsExactlyInAnyOrder(expected));
        }
    }

    abstract static class Listening {
        @Autowired
        Seen seen;
    }

    private static ApplicationContextRunner runner(Class<?>... beans) {
        return TestApplication.small(beans).withUserConfiguration(Seen.class);
    }

    private static void publish(ApplicationContext context, Object... payloads) {
        Deliveries.inTransaction(
                context, () -> context.getBean(OutboxPublisher.class).publish(List.of(payloads)));
    }

    private static Seen seen(ApplicationContext context) {
        return context.getBean(Seen.class);
    }

    private static List<String> types(ApplicationContext context) {
        return new JdbcTemplate(context.getBean(DataSource.class))
                .queryForList("SELECT event_type FROM outbox_event ORDER BY event_id", String.class);
    }

    private static void assertRefused(Class<?> listeners, String... texts) {
        runner(listeners).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause().satisfies(cause -> {
                for (String text : texts) {
                    assertThat(cause).hasMessageContaining(text);
                }
            });
        });
    }

    // Publishing

    static class OfEach extends Listening {
        @OutboxListener
        void placed(Placed event) {
            seen.all.add(event);
        }

        @OutboxListener(aggregateType = "Order")
        void paid(Paid event, EventEnvelope envelope) {
            seen.all.add(event + envelope.aggregateId());
        }

        @OutboxListener
        void declined(Declined event) {
            seen.all.add(event);
        }
    }

    @Test
    void whatIsPublishedHasTheTypeOfItsListenerAndWhatItsAnnotationSays() {
        runner(OfEach.class).run(context -> {
            publish(context, new Placed("1"), new Paid("2"), new Declined("3"));
            Deliveries.inTransaction(context, () -> {
                OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
                publisher.publish(new Placed("4"));
                publisher.event(Declined.class).header("a", "b").publish(new Declined("5"));
                context.getBean(Outbox.class).publisher().publish(new Placed("6"));
            });
            seen(context)
                    .await(
                            new Placed("1"),
                            new Paid("2") + "2",
                            new Declined("3"),
                            new Placed("4"),
                            new Declined("5"),
                            new Placed("6"));
        });
    }

    @Test
    void whatSaysNothingAboutItsTypeIsRefused() {
        runner(OfEach.class).run(context -> {
            OutboxPublisher publisher = context.getBean(OutboxPublisher.class);
            assertThatThrownBy(() -> publisher.publish("order-placed"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("java.lang.String does not declare its event type");
            assertThatThrownBy(() -> publisher.event(Computed.class))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("computes the event type of each object");
            assertThatThrownBy(() -> publish(context, new Computed("unheard")))
                    .hasMessageContaining("'unheard' has no destination: there are listeners for [")
                    .hasMessageContaining("outbox.publisher.events.unheard.topic");
        });
    }

    // Supertypes

    static class OfOrders extends Listening {
        @OutboxListener
        void on(OrderEvent event, EventEnvelope envelope) {
            seen.all.add(envelope.eventType() + " " + event);
        }
    }

    @Test
    void aListenerForASealedTypeGetsEachClassUnderItsOwnType() {
        runner(OfOrders.class).run(context -> {
            publish(context, new Placed("1"), new Moved("2", "here"), new Cancelled("3"));
            seen(context)
                    .await(
                            "order-placed " + new Placed("1"),
                            "Moved " + new Moved("2", "here"),
                            "Cancelled " + new Cancelled("3"));
        });
    }

    static class OfOrdersAndPlaced extends Listening {
        @OutboxListener
        void all(OrderEvent event) {
            seen.all.add("any " + event);
        }

        @OutboxListener
        void changed(Changed event) {
            seen.all.add("changed " + event);
        }

        @OutboxListener
        void placed(Placed event) {
            seen.all.add("placed " + event);
        }

        @OutboxListener(subscription = "audit")
        void audit(OrderEvent event) {
            seen.all.add("audit " + event);
        }
    }

    @Test
    void theMostSpecificListenerWinsAndSubscriptionsDoNotCompete() {
        runner(OfOrdersAndPlaced.class).run(context -> {
            publish(context, new Placed("1"), new Moved("2", "here"));
            seen(context)
                    .await(
                            "placed " + new Placed("1"),
                            "audit " + new Placed("1"),
                            "changed " + new Moved("2", "here"),
                            "audit " + new Moved("2", "here"));
        });
    }

    static class InBatches extends Listening {
        @OutboxListener
        void on(List<OrderEvent> events) {
            seen.all.addAll(events);
        }
    }

    @Test
    void aBatchListenerForASealedTypeGetsObjectsOfTheirClasses() {
        runner(InBatches.class).run(context -> {
            publish(context, new Placed("1"), new Cancelled("2"), new Cancelled("3"));
            seen(context).await(new Placed("1"), new Cancelled("2"), new Cancelled("3"));
        });
    }

    static class OfPayments extends Listening {
        @OutboxListener(aggregateType = "Order")
        void ofOrders(Payment event) {
            seen.all.add("order " + event);
        }

        @OutboxListener
        void others(Payment event) {
            seen.all.add("other " + event);
        }
    }

    @Test
    void ofAnOpenTypeTheOutboxedClassesOfTheApplicationAreKnown() {
        runner(OfPayments.class).run(context -> {
            publish(context, new Paid("1"), new Refunded("2"));
            seen(context).await("order " + new Paid("1"), "other " + new Refunded("2"));
            assertThatThrownBy(() -> publish(context, new Declined("3")))
                    .as("nothing says that there is such a class")
                    .hasMessageContaining("'Declined' has no destination");
        });
    }

    static class OfPaymentsByName extends Listening {
        @OutboxListener(payloads = {Declined.class, Refunded.class})
        void on(Payment event) {
            seen.all.add(event);
        }
    }

    @Test
    void classesCanBeNamed() {
        runner(OfPaymentsByName.class).run(context -> {
            publish(context, new Refunded("1"), new Declined("2"));
            seen(context).await(new Refunded("1"), new Declined("2"));
        });
    }

    /** As Jackson does it with type ids. */
    private static final class Polymorphic implements JsonCodec {
        @Override
        public String toJson(Object obj) {
            return "{}";
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
            return type.cast(type == OrderEvent.class ? new Cancelled("by the codec") : new Placed("by its class"));
        }
    }

    @Test
    void anAbstractTypeStaysATypeOfItsOwnForCodecsThatReadIt() {
        runner(OfOrders.class).withBean(Polymorphic.class, Polymorphic::new).run(context -> {
            Deliveries.inTransaction(
                    context, () -> context.getBean(OutboxPublisher.class).publish("OrderEvent", new Cancelled("0")));
            seen(context).await("OrderEvent " + new Cancelled("by the codec"));
        });
    }

    static class Ambiguous {
        interface Urgent {}

        interface Foreign {}

        record Both(String id) implements Urgent, Foreign {}

        @OutboxListener(payloads = Both.class, subscription = "known")
        void known(Both event) {}

        @OutboxListener
        void urgent(Urgent event) {}

        @OutboxListener
        void foreign(Foreign event) {}
    }

    static class Misfit {
        @OutboxListener(payloads = Placed.class)
        void on(Payment event) {}
    }

    static class Twice {
        @OutboxListener(payloads = {TypesByClassTest.Moved.class, Moved.class})
        void on(Object event) {}

        record Moved(String id) {}
    }

    static class Undecided {
        @OutboxListener(
                eventType = "A",
                eventTypes = {"B", "C"})
        void on(String event) {}
    }

    static class WithoutType {
        @OutboxListener(payloads = Computed.class)
        void on(Computed event) {}
    }

    @Test
    void whatIsNotClearIsRefusedByName() {
        assertRefused(Ambiguous.class, "event type 'Both'", "Urgent", "Foreign", "neither is more specific");
        assertRefused(Misfit.class, "Payment", "Placed of payloads is not");
        assertRefused(Twice.class, "event type 'Moved' twice", "@Outboxed(type = …)");
        assertRefused(Undecided.class, "one of eventType, eventTypes and payloads");
        assertRefused(WithoutType.class, "Computed does not have one event type");
    }

    // Several types, all types

    static class OfSeveral extends Listening {
        @OutboxListener(eventTypes = {"A", "${shop.second:B}"})
        void several(String payload, EventEnvelope envelope) {
            seen.all.add(envelope.eventType() + payload);
        }

        @OutboxListener(eventType = "*")
        void rest(EventEnvelope envelope) {
            seen.all.add("rest " + envelope.eventType());
        }

        @OutboxListener(eventType = "*", subscription = "audit")
        void audit(EventEnvelope envelope) {
            seen.all.add("audit " + envelope.eventType());
        }
    }

    @Test
    void aListenerMayBeForSeveralTypesOrForAll() {
        runner(OfSeveral.class).run(context -> {
            Deliveries.write(context, "A", "1");
            Deliveries.write(context, "B", "2");
            Deliveries.write(context, "C", "3");
            publish(context, new Paid("4"));
            seen(context).await("A1", "B2", "rest C", "rest Paid", "audit A", "audit B", "audit C", "audit Paid");
            assertThat(types(context)).contains("A", "A#audit", "Paid#audit");
        });
    }

    static class OfAllWithSettings {
        @OutboxListener(eventType = "*", concurrency = "2")
        void on(EventEnvelope envelope) {}
    }

    static class OfOrdersWithSettings extends Listening {
        @OutboxListener(concurrency = "2")
        void on(OrderEvent event) {
            seen.all.add(event);
        }
    }

    @Test
    void everyTypeOfAListenerWithSettingsHasALaneAndFormerNamesToo() {
        assertRefused(OfAllWithSettings.class, "it takes events of all types");
        runner(OfOrdersWithSettings.class)
                .withPropertyValues("outbox.aliases.Moved=Relocated")
                .run(context -> {
                    assertThat(context.getBean(Outbox.class).lanes())
                            .containsOnlyKeys(
                                    "OrderEvent", "order-placed", "OrderPlaced", "Moved", "Relocated", "Cancelled");
                    Deliveries.write(context, "Relocated", "{\"id\":\"1\",\"to\":\"there\"}");
                    seen(context).await(new Moved("1", "there"));
                });
    }

    // Former names

    static class OfPlacedByTwo extends Listening {
        @OutboxListener
        void on(Placed event, EventEnvelope envelope) {
            seen.all.add(envelope.eventType() + event.id());
        }

        @OutboxListener(subscription = "mail")
        void mail(Placed event) {
            seen.all.add("mail " + event.id());
        }
    }

    @Test
    void whatWaitsUnderAFormerNameReachesTheListenersOfTheClass() {
        runner(OfPlacedByTwo.class)
                .withPropertyValues("outbox.aliases.order-placed=Placed", "shop.former=Ordered")
                .run(context -> {
                    Deliveries.write(context, "Ordered", "{\"id\":\"1\"}");
                    Deliveries.write(context, "Placed", "{\"id\":\"2\"}");
                    Deliveries.write(context, "Placed#mail", "{\"id\":\"3\"}");
                    publish(context, new Placed("4"));
                    seen(context).await("Ordered1", "Placed2", "mail 3", "order-placed4", "mail 4");
                });
    }

    static class OfAFormerName {
        @OutboxListener(eventType = "OrderPlaced")
        void former(String payload) {}

        @OutboxListener
        void current(Placed event) {}
    }

    @Test
    void aFormerNameThatIsInUseIsRefused() {
        assertRefused(OfAFormerName.class, "'OrderPlaced' is a former name of event type 'order-placed'");
    }
}
