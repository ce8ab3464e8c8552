package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

@SpringBootTest(classes = Shop.class, properties = "outbox.mode=ordered")
@AutoConfigureOutboxTester
class OrderedTest {

    @Autowired
    Orders orders;

    @Autowired
    RecordingMailer mailer;

    @Autowired
    Outbox application;

    @Autowired
    OutboxTester outbox;

    @BeforeEach
    void emptyMailbox() {
        mailer.reset();
    }

    @RepeatedTest(2)
    void deliversInTheOrderOfWritingAfterTheClockWasMovedToo() {
        outbox.advance(Duration.ofHours(1));
        for (int i = 1; i <= 5; i++) {
            orders.place("order " + i, i);
        }

        assertThat(outbox.deliverDue()).isEqualTo(5);

        assertThat(mailer.sent())
                .containsExactly(
                        "Thank you for order order 1",
                        "Thank you for order order 2",
                        "Thank you for order order 3",
                        "Thank you for order order 4",
                        "Thank you for order order 5");
        orders.place("left over", 1);
    }

    @Test
    void aFailedEventIsDeadAtOnce() {
        mailer.failing(1);
        orders.place("4711", 3);

        outbox.deliverDue();

        assertThat(outbox).hasWritten("OrderPlaced").deadBecause("the mail server is down");
    }

    @Test
    void aReplayedEventIsDueAtOnceThoughTheClockStandsStill() {
        mailer.failing(1);
        orders.place("4711", 3);
        outbox.deliverDue();

        application.deadEvents().replay(outbox.written().get(0).eventId());

        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(outbox).hasWritten("OrderPlaced").delivered();
    }
}
