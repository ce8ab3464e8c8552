package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.OutboxWriter;
import io.outbox.UnrecoverableException;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.test.shop.Shop;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.transaction.support.TransactionTemplate;

/** An event with several subscriptions is one event to a test. */
@SpringBootTest(classes = {Shop.class, SubscriptionsTest.Shipping.class})
@AutoConfigureOutboxTester
class SubscriptionsTest {

    static class Shipping {

        @OutboxListener(eventType = "OrderShipped", subscription = "mail")
        void mail(String order) {}

        @OutboxListener(eventType = "OrderShipped", subscription = "search")
        void index(String order) {
            if (order.contains("unknown")) {
                throw new UnrecoverableException("there is no such order");
            }
        }
    }

    @Autowired
    OutboxWriter writer;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    OutboxTester outbox;

    private String ship(String order) {
        return transaction.execute(tx -> writer.write("OrderShipped", "\"" + order + "\""));
    }

    @Test
    void anEventIsWrittenOnceUnderItsOwnTypeAndId() {
        String eventId = ship("4711");

        assertThat(outbox).hasWrittenExactly("OrderShipped");
        assertThat(outbox).hasWritten("OrderShipped").pending().once();
        assertThat(outbox.written("OrderShipped").get(0).eventId()).isEqualTo(eventId);
        assertThat(outbox).hasWritten("OrderShipped#mail").pending().once();
        assertThat(outbox).hasNotWritten("OrderShipped#sms").hasNotWritten("OrderPlaced");
    }

    @Test
    void anEventIsDeliveredWhenAllItsSubscriptionsHaveIt() {
        ship("4711");
        assertThat(outbox.deliverAll()).isEqualTo(2);
        assertThat(outbox).hasWritten("OrderShipped").delivered().once();
        assertThat(outbox).hasNothingPending().hasNothingDead();
    }

    @Test
    void anEventIsDeadIfOneOfItsSubscriptionsIs() {
        ship("unknown");
        outbox.deliverAll();
        assertThat(outbox)
                .hasWritten("OrderShipped")
                .deadBecause("no such order")
                .once();
        assertThat(outbox).hasWritten("OrderShipped#mail").delivered();
        assertThat(outbox).hasWritten("OrderShipped#search").dead();
    }
}
