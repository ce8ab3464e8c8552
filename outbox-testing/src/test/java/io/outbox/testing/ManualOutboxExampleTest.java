package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How an application tests its event code: a shop that sends a receipt for each order and a reminder a day later. */
class ManualOutboxExampleTest {

    private final List<String> mails = new ArrayList<>();
    private boolean mailServerDown;

    private final ManualOutbox outbox = ManualOutbox.create(
            new DefaultListenerRegistry()
                    .register("OrderPlaced", this::sendReceipt)
                    .register("ReviewReminder", this::sendReminder),
            settings -> settings.maxAttempts(3).retryPolicy(attempts -> 60_000));

    private final Shop shop = new Shop(outbox.writer());

    @AfterEach
    void closeOutbox() {
        outbox.close();
    }

    @Test
    void anOrderIsFollowedByAReceipt() {
        outbox.inTransaction(() -> shop.placeOrder("book"));
        assertThat(mails).isEmpty();

        outbox.deliverDue();

        assertThat(mails).containsExactly("receipt: book");
        assertThat(outbox.events()).extracting(StoredEvent::status).containsExactly(EventStatus.DONE, EventStatus.NEW);
    }

    @Test
    void anOrderThatFailsSendsNothing() {
        assertThatThrownBy(() -> outbox.inTransaction(() -> {
                    shop.placeOrder("book");
                    throw new IllegalStateException("out of stock");
                }))
                .hasMessage("out of stock");

        outbox.deliverDue();

        assertThat(mails).isEmpty();
        assertThat(outbox.events()).isEmpty();
    }

    @Test
    void theReminderComesADayLater() {
        outbox.inTransaction(() -> shop.placeOrder("book"));
        outbox.deliverDue();
        mails.clear();

        outbox.advance(Duration.ofHours(23));
        outbox.deliverDue();
        assertThat(mails).isEmpty();

        outbox.advance(Duration.ofHours(1));
        outbox.deliverDue();
        assertThat(mails).containsExactly("reminder: book");
    }

    @Test
    void aReceiptIsSentOnceTheMailServerIsBack() {
        mailServerDown = true;
        String id = outbox.callInTransaction(() -> shop.placeOrder("book"));
        outbox.deliverDue();
        assertThat(outbox.find(id).orElseThrow().status()).isEqualTo(EventStatus.RETRY);

        mailServerDown = false;
        assertThat(outbox.deliverDue()).isZero();
        outbox.advance(Duration.ofMinutes(1));
        assertThat(outbox.deliverDue()).isEqualTo(1);

        assertThat(mails).containsExactly("receipt: book");
    }

    @Test
    void aReceiptThatFailsThreeTimesIsDeadUntilItIsReplayed() {
        mailServerDown = true;
        String id = outbox.callInTransaction(() -> shop.placeOrder("book"));
        for (int attempt = 0; attempt < 3; attempt++) {
            outbox.deliverDue();
            outbox.advance(Duration.ofMinutes(1));
        }
        StoredEvent dead = outbox.find(id).orElseThrow();
        assertThat(dead.status()).isEqualTo(EventStatus.DEAD);
        assertThat(dead.attempts()).isEqualTo(3);
        assertThat(dead.lastError()).contains("mail server is down");

        mailServerDown = false;
        outbox.deadEvents().replay(id);
        outbox.deliverDue();

        assertThat(mails).containsExactly("receipt: book");
    }

    private DispatchResult sendReceipt(EventEnvelope event) {
        if (mailServerDown) {
            throw new IllegalStateException("the mail server is down");
        }
        mails.add("receipt: " + event.aggregateId());
        return DispatchResult.done();
    }

    private DispatchResult sendReminder(EventEnvelope event) {
        mails.add("reminder: " + event.aggregateId());
        return DispatchResult.done();
    }

    /** The application's code, which knows nothing of the test. */
    private record Shop(OutboxWriter writer) {

        String placeOrder(String item) {
            String id = writer.write(EventEnvelope.builder("OrderPlaced")
                    .aggregateId(item)
                    .payloadJson("{}")
                    .build());
            writer.write(EventEnvelope.builder("ReviewReminder")
                    .aggregateId(item)
                    .deliverAfter(Duration.ofDays(1))
                    .payloadJson("{}")
                    .build());
            return id;
        }
    }
}
