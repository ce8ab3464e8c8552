package io.outbox.internal.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Subscription;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.Events;
import io.outbox.support.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class SubscriptionsTest {

    private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
    private boolean complete = true;

    private Subscriptions subscriptions(Subscription... declared) {
        return new Subscriptions(
                List.of(declared),
                (aggregateType, eventType) -> registry.listenerFor(aggregateType, eventType) != null,
                () -> complete);
    }

    private static List<String> typesOf(List<EventEnvelope> rows) {
        return rows.stream().map(EventEnvelope::eventType).toList();
    }

    @Test
    void makeOneRowOfAnEventForEach() {
        EventEnvelope event = Events.event("e", "A");

        List<EventEnvelope> rows = subscriptions(Subscription.of("mail", "A"), Subscription.of("audit", "A"))
                .rowsOf(List.of(event));

        assertThat(typesOf(rows)).containsExactly("A#mail", "A#audit");
        assertThat(rows).extracting(EventEnvelope::originId).containsOnly("e");
        assertThat(rows)
                .extracting(EventEnvelope::eventId)
                .doesNotHaveDuplicates()
                .doesNotContain("e");
    }

    @Test
    void makeThePlainRowTooWhereTheRouteHasAListener() {
        registry.register("A", event -> DispatchResult.done());
        EventEnvelope event = Events.event("e", "A");

        List<EventEnvelope> rows = subscriptions(Subscription.of("mail", "A")).rowsOf(List.of(event));

        assertThat(typesOf(rows)).containsExactly("A", "A#mail");
        assertThat(rows.get(0)).isSameAs(event);
    }

    @Test
    void makeAnOptionalPlainRowWhileListenersAreBeingRegistered() {
        complete = false;
        Subscriptions subscriptions = subscriptions(Subscription.of("mail", "A"));

        List<EventEnvelope> rows = subscriptions.rowsOf(List.of(Events.event("1", "A"), Events.event("2", "B")));

        assertThat(typesOf(rows)).containsExactly("A", "A#mail", "B");
        assertThat(rows).extracting(EventEnvelope::isOptional).containsExactly(true, false, false);
        assertThat(rows.get(0).eventId()).isEqualTo("1");
        complete = true;
        assertThat(typesOf(subscriptions.rowsOf(List.of(Events.event("3", "A")))))
                .containsExactly("A#mail");
    }

    @Test
    void tellOnceOfAListenerThatIsRegisteredTooLate() {
        Subscriptions subscriptions = subscriptions(Subscription.of("mail", "A"));
        subscriptions.rowsOf(List.of(Events.event("1", "A")));
        registry.register("A", event -> DispatchResult.done());

        try (LogLines log = new LogLines()) {
            subscriptions.rowsOf(List.of(Events.event("2", "A")));
            subscriptions.rowsOf(List.of(Events.event("3", "A")));

            assertThat(log.at(Level.WARNING, "The listener of event type A was registered too late"))
                    .hasSize(1);
        }
    }

    @Test
    void leaveEventsOfOtherRoutesAsTheyAre() {
        EventEnvelope otherType = Events.event("1", "B");
        EventEnvelope otherAggregate =
                Events.event("2", "A").toBuilder().aggregateType("Order").build();
        List<EventEnvelope> events = List.of(otherType, otherAggregate);

        assertThat(subscriptions(Subscription.of("mail", "A")).rowsOf(events)).isEqualTo(events);
        assertThat(Subscriptions.NONE.rowsOf(events)).isSameAs(events);
    }

    @Test
    void keepTheOrderOfEvents() {
        List<EventEnvelope> rows = subscriptions(Subscription.of("mail", "A"), Subscription.of("audit", "A"))
                .rowsOf(List.of(Events.event("1", "A"), Events.event("2", "B"), Events.event("3", "A")));

        assertThat(typesOf(rows)).containsExactly("A#mail", "A#audit", "B", "A#mail", "A#audit");
        assertThat(rows).extracting(EventEnvelope::originId).containsExactly("1", "1", "2", "3", "3");
    }

    @Test
    void putEverythingOfTheEventIntoItsRows() {
        EventEnvelope event = EventEnvelope.builder("A")
                .aggregateType("Order")
                .aggregateId("4711")
                .tenantId("acme")
                .header("traceparent", "00-1")
                .payloadBytes(new byte[] {1, 2})
                .deliverAfter(Duration.ofMinutes(1))
                .build();

        EventEnvelope row = subscriptions(Subscription.of("mail", "Order", "A"))
                .rowsOf(List.of(event))
                .get(0);

        assertThat(row.withEventType("A").toBuilder().eventId(event.eventId()).build())
                .isEqualTo(event);
        assertThat(row.isDelayed()).isTrue();
    }

    @Test
    void nameTheEventWhoseRowsAreThereAlready() {
        List<EventEnvelope> rows = subscriptions(Subscription.of("mail", "A"), Subscription.of("audit", "A"))
                .rowsOf(List.of(Events.event("e", "A")));
        List<String> rowIds = rows.stream().map(EventEnvelope::eventId).toList();
        DuplicateEventException ofRows = new DuplicateEventException(rowIds, null);
        DuplicateEventException ofEvents = new DuplicateEventException(List.of("x"), null);

        assertThat(Subscriptions.ofEvents(ofRows, rows).eventIds()).containsExactly("e");
        assertThat(Subscriptions.ofEvents(ofRows, rows)).hasCause(ofRows);
        assertThat(Subscriptions.ofEvents(ofEvents, List.of(Events.event("x", "A"))))
                .isSameAs(ofEvents);
    }
}
