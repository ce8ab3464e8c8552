package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.StringEventType;
import io.outbox.spring.boot.test.shop.OrderPlaced;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.support.TransactionTemplate;

/** What the assertions accept and refuse, and in which words. */
@SpringBootTest(classes = Shop.class)
@AutoConfigureOutboxTester
class AssertionsTest {

    @Autowired
    Orders orders;

    @Autowired
    OutboxWriter writer;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    RecordingMailer mailer;

    @Autowired
    OutboxTester outbox;

    @BeforeEach
    void writeThree() {
        mailer.reset();
        orders.place("4711", 3);
        orders.place("4712", 5);
        orders.remind("4711", Duration.ofHours(1));
    }

    private static void assertFails(ThrowingCallable assertion, String... words) {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(assertion)
                .satisfies(failure -> assertThat(failure).hasMessageContainingAll(words));
    }

    @Test
    void anEventOfTheTypeWasWritten() {
        assertThat(outbox).hasWritten("OrderPlaced");
        assertThat(outbox).hasWritten(StringEventType.of("OrderPlaced"));

        assertFails(
                () -> assertThat(outbox).as("after the sale").hasWritten("OrderSold"),
                "[after the sale]",
                "OrderSold",
                "OrderPlaced " + outbox.written().get(0).eventId() + " of Order/4711, tenant north, NEW",
                "headers {channel=web}",
                "{\"orderId\":\"4712\",\"total\":5}",
                "ReminderDue");
    }

    @Test
    void noEventOfTheTypeWasWritten() {
        assertThat(outbox).hasNotWritten("OrderSold").hasNotWritten(StringEventType.of("OrderSold"));

        assertFails(() -> assertThat(outbox).hasNotWritten("OrderPlaced"), "no event of type OrderPlaced", "4711");
    }

    @Test
    void exactlyTheseTypesWereWritten() {
        assertThat(outbox).hasWrittenExactly("OrderPlaced", "OrderPlaced", "ReminderDue");

        assertFails(
                () -> assertThat(outbox).hasWrittenExactly("ReminderDue", "OrderPlaced"), "[ReminderDue, OrderPlaced]");
        assertFails(() -> assertThat(outbox).hasWrittenNothing(), "Expecting no event", "ReminderDue");
        outbox.begin();
        assertThat(outbox).hasWrittenNothing();
        assertFails(() -> assertThat(outbox).hasWritten("OrderPlaced"), "nothing was written");
    }

    @Test
    void aPayloadIsReadAndLookedAt() {
        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withPayload(
                        OrderPlaced.class, order -> assertThat(order.total()).isEqualTo(5))
                .withAggregateId("4712")
                .once();
        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withPayload(new OrderPlaced("4711", 3))
                .once();
        assertThat(outbox).hasWritten("ReminderDue").withPayloadJson("{}");

        assertFails(
                () -> assertThat(outbox)
                        .hasWritten("OrderPlaced")
                        .withPayload(
                                OrderPlaced.class,
                                order -> assertThat(order.total()).isEqualTo(99)),
                "99",
                outbox.written().get(0).eventId() + ":",
                outbox.written().get(1).eventId() + ":");
        assertFails(() -> assertThat(outbox).hasWritten("OrderPlaced").withPayload(new OrderPlaced("4713", 3)), "4713");
        assertFails(() -> assertThat(outbox).hasWritten("ReminderDue").withPayloadJson("[]"), "the payload []", "{}");
    }

    @Test
    void aBinaryPayloadIsNotRead() {
        transaction.executeWithoutResult(tx -> writer.write(EventEnvelope.builder("Scanned")
                .payloadBytes(new byte[] {1, 2, 3})
                .build()));

        assertFails(
                () -> assertThat(outbox).hasWritten("Scanned").withPayload(OrderPlaced.class, order -> {}),
                "payload of 3 bytes",
                "is binary");
    }

    @Test
    void aLongPayloadIsCutInMessages() {
        transaction.executeWithoutResult(tx -> writer.write("Noted", "\"" + "x".repeat(5_000) + "\""));

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(outbox).hasNotWritten("Noted"))
                .satisfies(failure ->
                        assertThat(failure.getMessage()).hasSizeLessThan(1_000).contains("x…"));
    }

    @Test
    void partsOfTheEnvelopeAreCompared() {
        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withAggregateType("Order")
                .withAggregateId("4711")
                .withTenantId("north")
                .withHeader("channel", "web");

        WrittenEventsAssert placed = assertThat(outbox).hasWritten("OrderPlaced");
        assertFails(() -> placed.withAggregateType("Cart"), "the aggregate type Cart", "Order/4711");
        assertFails(() -> placed.withAggregateId("4713"), "the aggregate id 4713");
        assertFails(() -> placed.withTenantId("south"), "the tenant id south");
        assertFails(() -> placed.withHeader("channel", "shop"), "the header channel=shop");
        assertFails(() -> placed.withHeader("source", null), "the header source=null");
    }

    @Test
    void conditionsAreAboutTheSameEvent() {
        assertFails(
                () -> assertThat(outbox)
                        .hasWritten("OrderPlaced")
                        .withAggregateId("4711")
                        .withPayload(new OrderPlaced("4712", 5)),
                "4712");
    }

    @Test
    void eventsAreCounted() {
        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .times(2)
                .withAggregateId("4711")
                .once();

        assertFails(() -> assertThat(outbox).hasWritten("OrderPlaced").once(), "Expecting 1 such events", "are 2");
    }

    @Test
    void statesAreTold() {
        mailer.failing(1);
        outbox.deliverDue();

        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withAggregateId("4711")
                .pending()
                .withFailedAttempts(1);
        assertThat(outbox).hasWritten("OrderPlaced").withAggregateId("4712").delivered();
        assertFails(() -> assertThat(outbox).hasNothingPending(), "pending", "ReminderDue");
        assertFails(
                () -> assertThat(outbox).hasWritten("OrderPlaced").dead(),
                "DEAD",
                "RETRY, failed attempts: 1, error: ",
                "the mail server is down");
        assertFails(() -> assertThat(outbox).hasWritten("OrderPlaced").uncommitted(), "no commit");
        assertFails(() -> assertThat(outbox).hasWritten("ReminderDue").delivered(), "DONE", "due at");
    }

    @Test
    void deadEventsAreToldByTheirReason() {
        mailer.failing(Integer.MAX_VALUE);
        outbox.deliverAll();

        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .dead()
                .deadBecause("mail server")
                .times(2);
        assertFails(() -> assertThat(outbox).hasNothingDead(), "dead", "OrderPlaced");
        assertFails(() -> assertThat(outbox).hasWritten("OrderPlaced").deadBecause("no such order"), "no such order");
    }
}
