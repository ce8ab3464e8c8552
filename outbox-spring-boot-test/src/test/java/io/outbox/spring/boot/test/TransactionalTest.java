package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.transaction.AfterTransaction;
import org.springframework.test.context.transaction.TestTransaction;
import org.springframework.transaction.annotation.Transactional;

/** Tests in a transaction of their own, which is rolled back in the end. */
@SpringBootTest(classes = Shop.class)
@AutoConfigureOutboxTester
@Transactional
class TransactionalTest {

    @Autowired
    Orders orders;

    @Autowired
    RecordingMailer mailer;

    @Autowired
    OutboxTester outbox;

    @BeforeEach
    void emptyMailbox() {
        mailer.reset();
    }

    @RepeatedTest(2)
    void seeWhatTheyHaveWrittenBeforeAnyCommit() {
        assertThat(outbox).hasWrittenNothing();

        orders.place("4711", 3);

        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withAggregateId("4711")
                .uncommitted()
                .once();
        assertThatIllegalStateException().isThrownBy(outbox::deliverDue);
        assertThat(mailer.sent()).isEmpty();
    }

    @Test
    void deliverAfterTheyHaveCommitted() {
        orders.place("4711", 3);
        TestTransaction.flagForCommit();
        TestTransaction.end();

        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(mailer.sent()).containsExactly("Thank you for order 4711");
    }

    @AfterTransaction
    void whatWasRolledBackWasNotWritten() {
        assertThat(outbox.written()).allMatch(WrittenEvent::committed);
    }
}
