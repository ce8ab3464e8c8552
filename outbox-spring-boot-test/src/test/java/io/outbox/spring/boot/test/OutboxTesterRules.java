package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.support.TransactionTemplate;

/** What holds in every mode in which events are retried. */
@SpringBootTest(classes = Shop.class)
@AutoConfigureOutboxTester
abstract class OutboxTesterRules {

    private static final Duration HOUR = Duration.ofHours(1);

    @Autowired
    Orders orders;

    @Autowired
    RecordingMailer mailer;

    @Autowired
    Outbox application;

    @Autowired
    TransactionTemplate transaction;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    OutboxTester outbox;

    @BeforeEach
    void emptyMailbox() {
        mailer.reset();
    }

    @Test
    void nothingIsDeliveredUnlessTheTestSaysSo() {
        orders.place("4711", 3);

        assertThat(application.state()).isEqualTo(State.NOT_STARTED);
        assertThat(outbox).hasWritten("OrderPlaced").pending().once();
        assertThat(mailer.sent()).isEmpty();

        assertThat(outbox.deliverDue()).isEqualTo(1);

        assertThat(outbox).hasWritten("OrderPlaced").delivered();
        assertThat(mailer.sent()).containsExactly("Thank you for order 4711");
    }

    @Test
    void theClockStandsStillUntilItIsMoved() {
        Instant before = outbox.now();

        assertThat(outbox.now()).isEqualTo(before);
        outbox.advance(HOUR);
        assertThat(outbox.now()).isEqualTo(before.plus(HOUR));
        assertThat(outbox.clock().instant()).isEqualTo(outbox.now());
    }

    @Test
    void theClockComesUpToWhatIsWritten() {
        Instant before = outbox.now();

        orders.place("4711", 3);

        WrittenEvent written = outbox.written().get(0);
        assertThat(outbox.now()).isEqualTo(written.envelope().occurredAt()).isAfterOrEqualTo(before);
    }

    @Test
    void aDelayedEventIsDueOnceTheClockIsThere() {
        orders.remind("4711", HOUR);

        assertThat(outbox.deliverDue()).isZero();
        outbox.advance(HOUR.minusSeconds(1));
        assertThat(outbox.deliverDue()).isZero();
        assertThat(outbox).hasWritten("ReminderDue").pending();

        outbox.advance(Duration.ofSeconds(1));
        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(mailer.sent()).containsExactly("Remember order 4711");
    }

    @Test
    void aDelayCountsFromTheTimeToWhichTheClockWasMoved() {
        outbox.advance(Duration.ofDays(1));
        orders.remind("4711", HOUR);

        assertThat(outbox.deliverDue()).isZero();
        outbox.advance(HOUR);
        assertThat(outbox.deliverDue()).isEqualTo(1);
    }

    @Test
    void aRetryIsDueOnceTheClockIsThere() {
        mailer.failing(1);
        orders.place("4711", 3);

        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(outbox).hasWritten("OrderPlaced").pending().withFailedAttempts(1);
        assertThat(outbox.written().get(0).lastError()).contains("the mail server is down");
        assertThat(outbox.deliverDue()).isZero();

        assertThat(outbox.advanceToNextDue()).isTrue();
        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(outbox).hasWritten("OrderPlaced").delivered();
        assertThat(outbox.advanceToNextDue()).isFalse();
    }

    @Test
    void everythingIsDeliveredWhateverItsTime() {
        mailer.failing(2);
        orders.place("4711", 3);
        orders.remind("4711", HOUR);

        assertThat(outbox.deliverAll()).isEqualTo(4);

        assertThat(outbox).hasNothingPending().hasNothingDead();
    }

    @Test
    void anEventThatFailsAlwaysIsSeenToItsEnd() {
        mailer.failing(Integer.MAX_VALUE);
        orders.place("4711", 3);

        assertThat(outbox.deliverAll()).isEqualTo(10);

        assertThat(outbox)
                .hasWritten("OrderPlaced")
                .withFailedAttempts(10)
                .deadBecause("the mail server is down")
                .and()
                .hasNothingPending();
    }

    @Test
    void aReplayedEventIsPendingAgain() {
        mailer.failing(10);
        orders.place("4711", 3);
        outbox.deliverAll();
        String eventId = outbox.written().get(0).eventId();

        application.deadEvents().replay(eventId);

        assertThat(outbox).hasWritten("OrderPlaced").pending().withFailedAttempts(0);
        assertThat(outbox.deliverDue()).isEqualTo(1);
        assertThat(outbox).hasWritten("OrderPlaced").delivered();
    }

    @Test
    void whatAListenerWritesIsDeliveredToo() {
        orders.remind("renewed 4711", HOUR);
        outbox.advance(HOUR);

        assertThat(outbox.deliverDue()).isEqualTo(2);

        assertThat(outbox).hasWrittenExactly("ReminderDue", "OrderPlaced").hasNothingPending();
    }

    @Test
    void anEventThatIsRolledBackWasNotWritten() {
        transaction.executeWithoutResult(tx -> {
            orders.place("4711", 3);
            assertThat(outbox).hasWritten("OrderPlaced").uncommitted();
            tx.setRollbackOnly();
        });

        assertThat(outbox).hasWrittenNothing();
        assertThat(outbox.deliverAll()).isZero();
    }

    @Test
    void deliveryInsideATransactionIsRefused() {
        transaction.executeWithoutResult(tx -> assertThatIllegalStateException()
                .isThrownBy(outbox::deliverDue)
                .withMessageContaining("TestTransaction.end()"));
    }

    /** Each repetition leaves something in the queue, in the table and with a retry behind. */
    @RepeatedTest(3)
    void eachTestBeginsWithNothing() {
        assertThat(outbox).hasWrittenNothing();
        assertThat(Duration.between(outbox.now(), Instant.now()).abs()).isLessThan(Duration.ofMinutes(1));
        assertThat(outbox.deliverDue()).isZero();

        orders.place("4711", 3);
        assertThat(outbox.deliverDue()).isEqualTo(1);
        outbox.advance(HOUR.multipliedBy(2));
        assertThat(outbox.deliverDue()).isZero();

        mailer.failing(1);
        orders.place("retried", 1);
        assertThat(outbox.deliverDue()).isEqualTo(1);
        orders.remind("later", HOUR);
        orders.place("queued", 1);
        assertThat(mailer.sent()).containsExactly("Thank you for order 4711");
    }

    @Test
    void whatIsLeftOfEarlierTestsStaysInTheTable() {
        orders.place("4711", 3);
        String eventId = outbox.written().get(0).eventId();
        outbox.begin();

        assertThat(outbox).hasWrittenNothing();
        assertThat(outbox.deliverAll()).isZero();
        assertThat(jdbc.queryForList(
                        "SELECT event_id FROM outbox_event WHERE status = 0 AND locked_by IS NULL", String.class))
                .contains(eventId);
    }
}
