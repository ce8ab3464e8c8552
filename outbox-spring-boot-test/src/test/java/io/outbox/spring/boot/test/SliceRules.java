package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.spring.boot.test.shop.Confirmations;
import io.outbox.spring.boot.test.shop.OrderPlaced;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.Purchases;
import io.outbox.spring.boot.test.shop.Purchases.Purchased;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

/**
 * What holds in the slices of either Spring Boot, which have no listeners but those imported. They are transactional,
 * but what their annotation says of that does not count for the methods of a superclass.
 */
@AutoConfigureOutboxTester
@Transactional
@Import({Orders.class, Confirmations.class, Purchases.class, RecordingMailer.class})
public abstract class SliceRules {

    @Autowired
    Orders orders;

    @Autowired
    Purchases purchases;

    @Autowired
    RecordingMailer mailer;

    @Autowired
    Outbox application;

    @Autowired
    OutboxTester outbox;

    @Test
    void writesAreSeenInTheTransactionOfTheTest() {
        orders.place("4711", 3);

        assertThat(application.state()).isEqualTo(State.NOT_STARTED);
        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withPayload(new OrderPlaced("4711", 3))
                .uncommitted()
                .once();
    }

    @Test
    void listenersAreCalledAfterTheCommit() {
        orders.place("4712", 5);
        TestTransaction.flagForCommit();
        TestTransaction.end();

        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(mailer.sent()).containsExactly("Thank you for order 4712");
    }

    @Test
    void eventsArePublishedWhoseReceiversAreNotInTheSlice() {
        purchases.buy("lamp");
        purchases.cancel("lamp");

        assertThat(outbox).hasWritten("Purchased").withPayload(new Purchased("lamp"));
        assertThat(outbox).hasWrittenExactly("Purchased", "PurchaseCancelled");
    }
}
