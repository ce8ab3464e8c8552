package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.JsonCodec;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DefaultOutboxPublisherTest {

    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final List<List<EventEnvelope>> batches = new ArrayList<>();
    private final OutboxWriter writer = new DefaultOutboxWriter(transaction, store, new WriterHook() {
        @Override
        public void afterWrite(List<EventEnvelope> events) {
            batches.add(events);
        }
    });
    private final OutboxPublisher publisher = new DefaultOutboxPublisher(writer, new MarkingCodec("given"));

    /** Marks what it writes with its name. */
    private record MarkingCodec(String name) implements JsonCodec {
        @Override
        public String toJson(Object obj) {
            return name + ":" + obj;
        }

        @Override
        public <T> T fromJson(String json, Class<T> type) {
            throw new UnsupportedOperationException();
        }
    }

    @AfterEach
    void returnToDiscovery() {
        JsonCodec.setDefault(null);
    }

    private List<OutboxEvent> committed() {
        transaction.commit();
        return store.ids().stream().map(id -> store.row(id).stored()).toList();
    }

    @Test
    void publishesOneObjectAsOneEvent() {
        transaction.begin();

        publisher.publish("OrderPlaced", 4711);

        assertThat(committed()).singleElement().satisfies(event -> {
            assertThat(event.eventType()).isEqualTo("OrderPlaced");
            assertThat(event.payloadJson()).isEqualTo("given:4711");
            assertThat(event.aggregateType()).isEqualTo(AggregateType.GLOBAL.name());
        });
    }

    @Test
    void publishesEachElementOfAListAsAnEventOfOneBatch() {
        transaction.begin();

        publisher.publish("OrderPlaced", List.of(1, 2, 3));

        assertThat(batches)
                .singleElement()
                .satisfies(batch -> assertThat(batch)
                        .extracting(EventEnvelope::payloadJson)
                        .containsExactly("given:1", "given:2", "given:3"));
        assertThat(committed())
                .hasSize(3)
                .allSatisfy(event -> assertThat(event.eventType()).isEqualTo("OrderPlaced"));
    }

    @Test
    void publishesEachElementOfAnyCollectionOrArrayAsAnEventOfOneBatch() {
        Set<Integer> numbers = new LinkedHashSet<>(List.of(1, 2));
        Object hidden = List.of(3, 4);
        transaction.begin();

        publisher.publish("OrderPlaced", numbers);
        publisher.publish("OrderPlaced", hidden);
        publisher.publish("OrderPlaced", new Integer[] {5, 6});

        assertThat(batches)
                .extracting(
                        batch -> batch.stream().map(EventEnvelope::payloadJson).toList())
                .containsExactly(
                        List.of("given:1", "given:2"), List.of("given:3", "given:4"), List.of("given:5", "given:6"));
    }

    @Test
    void publishesACollectionInADraftAsOnePayload() {
        transaction.begin();

        publisher.event("OrderPlaced").publish(List.of(1, 2));

        assertThat(committed())
                .singleElement()
                .satisfies(event -> assertThat(event.payloadJson()).isEqualTo("given:[1, 2]"));
    }

    @Test
    void takesTextAndBytesAsTheyAre() {
        byte[] bytes = {1, 2, 3};
        transaction.begin();

        publisher.publish("OrderPlaced", "{\"id\":1}");
        publisher.publish("OrderPlaced", bytes);
        publisher.publish("OrderPlaced", List.of("text", bytes));
        publisher.event("OrderPlaced").publish(bytes);

        assertThat(batches.stream().flatMap(List::stream))
                .extracting(event -> event.isBinary() ? event.payloadBytes() : event.payloadJson())
                .containsExactly("{\"id\":1}", bytes, "text", bytes, bytes);
    }

    @Test
    void givesEventsUuidsThatSortByTime() {
        transaction.begin();

        publisher.publish("OrderPlaced", 1);
        publisher.publish("OrderPlaced", List.of(2, 3));
        publisher.event("OrderPlaced").publish(4);

        assertThat(committed())
                .extracting(OutboxEvent::eventId)
                .hasSize(4)
                .isSorted()
                .allSatisfy(id -> assertThat(UUID.fromString(id).version()).isEqualTo(7));
    }

    @Test
    void aDraftPublishedTwiceIsTwoEvents() {
        transaction.begin();
        OutboxPublisher.Draft draft = publisher.event("OrderPlaced").key("4711");

        String one = draft.publish(1);
        String other = draft.publish(2);

        assertThat(committed()).extracting(OutboxEvent::eventId).containsExactly(one, other);
    }

    @Test
    void takesIdsFromTheGeneratorItIsGiven() {
        AtomicInteger count = new AtomicInteger();
        OutboxPublisher numbering =
                new DefaultOutboxPublisher(writer, new MarkingCodec("given"), () -> "order-" + count.incrementAndGet());
        transaction.begin();

        numbering.publish("OrderPlaced", List.of(1, 2));
        numbering.event("OrderPlaced").publish(3);

        assertThat(committed()).extracting(OutboxEvent::eventId).containsExactly("order-1", "order-2", "order-3");
    }

    @Test
    void publishesNothingForAnEmptyList() {
        transaction.begin();

        publisher.publish("OrderPlaced", List.of());

        assertThat(batches).isEmpty();
        assertThat(transaction.registrations()).isZero();
        assertThat(committed()).isEmpty();
    }

    @Test
    void publishesADraftWithEverythingItWasGiven() {
        transaction.begin();

        String id = publisher
                .event("OrderPlaced")
                .aggregate("Order", "4711")
                .tenant("acme")
                .header("traceparent", "00-1")
                .header("origin", "shop")
                .delay(Duration.ofMinutes(5))
                .publish(4711);

        assertThat(batches.get(0)).singleElement().satisfies(event -> {
            assertThat(event.eventId()).isEqualTo(id);
            assertThat(event.eventType()).isEqualTo("OrderPlaced");
            assertThat(event.aggregateType()).isEqualTo("Order");
            assertThat(event.aggregateId()).isEqualTo("4711");
            assertThat(event.tenantId()).isEqualTo("acme");
            assertThat(event.headers()).containsEntry("traceparent", "00-1").containsEntry("origin", "shop");
            assertThat(event.availableAt()).isEqualTo(event.occurredAt().plusSeconds(300));
            assertThat(event.payloadJson()).isEqualTo("given:4711");
        });
        assertThat(committed()).extracting(OutboxEvent::eventId).containsExactly(id);
    }

    @Test
    void aKeyLeavesTheAggregateTypeAlone() {
        transaction.begin();

        publisher.event("OrderPlaced").key("4711").publish("payload");

        assertThat(committed()).singleElement().satisfies(event -> {
            assertThat(event.aggregateId()).isEqualTo("4711");
            assertThat(event.aggregateType()).isEqualTo(AggregateType.GLOBAL.name());
        });
    }

    @Test
    void aKeyBesideAnAggregateIsAnotherOne() {
        transaction.begin();

        publisher
                .event("OrderPlaced")
                .key("customer-1")
                .aggregate("Order", "4711")
                .publish("payload");

        assertThat(committed()).singleElement().satisfies(row -> {
            EventEnvelope event = EventEnvelope.restore(row);
            assertThat(event.aggregateId()).isEqualTo("4711");
            assertThat(event.key()).isEqualTo("customer-1");
            assertThat(event.headers()).isEmpty();
        });
    }

    @Test
    void aTombstoneHasNoPayloadAndADraftCanPublishOneAfterAnEvent() {
        transaction.begin();
        OutboxPublisher.Draft draft = publisher.event("OrderPlaced").aggregate("Order", "4711");

        draft.publish("payload");
        String id = draft.publishTombstone();
        draft.publish("again");

        List<EventEnvelope> events =
                committed().stream().map(EventEnvelope::restore).toList();
        assertThat(events).extracting(EventEnvelope::isTombstone).containsExactly(false, true, false);
        assertThat(events).extracting(EventEnvelope::payloadJson).containsExactly("payload", "null", "again");
        assertThat(events.get(1).eventId()).isEqualTo(id);
        assertThat(events.get(1).key()).isEqualTo("4711");
    }

    @Test
    void aSerializerMakesThePayloadsOfItsTypesExceptBytes() {
        OutboxPublisher serializing = new DefaultOutboxPublisher(writer, new MarkingCodec("given"))
                .serializing(type -> type.equals("Avro")
                        ? (event, payload) -> event.toBuilder()
                                .payloadBytes(new byte[] {((Integer) payload).byteValue()})
                                .header("schema", event.aggregateId())
                                .build()
                        : null);
        transaction.begin();

        OutboxPublisher.Draft draft = serializing.event("Avro").key("7");
        draft.publish(1);
        draft.publish(new byte[] {2});
        serializing.publish("Json", 3);

        List<EventEnvelope> events =
                committed().stream().map(EventEnvelope::restore).toList();
        assertThat(events).extracting(EventEnvelope::isTombstone).containsOnly(false);
        assertThat(events.get(0).payloadBytes()).containsExactly(1);
        assertThat(events.get(0).headers()).containsExactly(Map.entry("schema", "7"));
        assertThat(events.get(1).payloadBytes()).containsExactly(2);
        assertThat(events.get(1).headers()).isEmpty();
        assertThat(events.get(2).payloadJson()).isEqualTo("given:3");
    }

    @Test
    void aDraftThatAHookSuppressesHasNoId() {
        OutboxWriter suppressing = new DefaultOutboxWriter(transaction, store, new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return List.of();
            }
        });
        transaction.begin();

        assertThat(new DefaultOutboxPublisher(suppressing, new MarkingCodec("given"))
                        .event("OrderPlaced")
                        .publish("payload"))
                .isNull();
    }

    @Test
    void needsATransaction() {
        assertThatIllegalStateException()
                .isThrownBy(() -> publisher.publish("OrderPlaced", "payload"))
                .withMessageContaining("transaction");
        assertThatIllegalStateException().isThrownBy(() -> publisher.publish("OrderPlaced", List.of("payload")));
        assertThatIllegalStateException().isThrownBy(() -> publisher.publish("OrderPlaced", List.of()));
        assertThatIllegalStateException()
                .isThrownBy(() -> publisher.event("OrderPlaced").publish("payload"));
        assertThat(store.size()).isZero();
    }

    @Test
    void usesTheDefaultCodecOfTheMomentWhenNoneIsGiven() {
        OutboxPublisher undecided = new DefaultOutboxPublisher(writer);
        transaction.begin();

        JsonCodec.setDefault(new MarkingCodec("one"));
        undecided.publish("OrderPlaced", 1);
        JsonCodec.setDefault(new MarkingCodec("other"));
        undecided.publish("OrderPlaced", List.of(2));

        assertThat(committed()).extracting(OutboxEvent::payloadJson).containsExactly("one:1", "other:2");
    }

    @Test
    void refusesNullAndBadInputAndThenWritesNothing() {
        transaction.begin();

        assertThatNullPointerException()
                .isThrownBy(() -> publisher.publish("OrderPlaced", (Object) null))
                .withMessageContaining("payload");
        assertThatNullPointerException()
                .isThrownBy(() -> publisher.publish("OrderPlaced", (List<Object>) null))
                .withMessageContaining("events");
        assertThatNullPointerException()
                .isThrownBy(() -> publisher.publish("OrderPlaced", Arrays.asList(1, null)))
                .withMessageContaining("payload");
        assertThatNullPointerException()
                .isThrownBy(() -> publisher.event("OrderPlaced").publish(null))
                .withMessageContaining("payload");
        assertThatNullPointerException()
                .isThrownBy(() -> publisher.publish(null, "payload"))
                .withMessageContaining("eventType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publisher.publish(" ", "payload"))
                .withMessageContaining("eventType");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> publisher.event("OrderPlaced").delay(Duration.ZERO))
                .withMessageContaining("deliverAfter");
        assertThatNullPointerException()
                .isThrownBy(() -> new DefaultOutboxPublisher(null))
                .withMessageContaining("writer");
        assertThatNullPointerException()
                .isThrownBy(() -> new DefaultOutboxPublisher(writer, null, null))
                .withMessageContaining("eventIds");
        assertThat(committed()).isEmpty();
    }

    private record Placed(int number) {}

    private record Cancelled(int number) {}

    @Test
    void publishesAnObjectUnderTheNameOfItsClass() {
        transaction.begin();

        publisher.publish(new Placed(1));
        publisher.event(Cancelled.class).key("k").publish(new Cancelled(2));

        assertThat(committed())
                .extracting(OutboxEvent::eventType, OutboxEvent::payloadJson)
                .containsExactly(
                        tuple("Placed", "given:Placed[number=1]"), tuple("Cancelled", "given:Cancelled[number=2]"));
    }

    @Test
    void publishesObjectsOfSeveralClassesInOneBatchEachUnderItsOwnType() {
        transaction.begin();

        publisher.publish(List.of(new Placed(1), new Cancelled(2)));
        publisher.publish(new Object[] {new Placed(3)});

        assertThat(batches)
                .extracting(
                        batch -> batch.stream().map(EventEnvelope::eventType).toList())
                .containsExactly(List.of("Placed", "Cancelled"), List.of("Placed"));
    }

    @Test
    void classesAreNamedAsTheApplicationWants() {
        OutboxPublisher named = ((DefaultOutboxPublisher) publisher)
                .typing(type -> "shop." + type.getSimpleName().toLowerCase(Locale.ROOT));
        transaction.begin();

        named.publish(new Placed(1));
        named.event(Cancelled.class).publish("{}");

        assertThat(committed()).extracting(OutboxEvent::eventType).containsExactly("shop.placed", "shop.cancelled");
    }

    @Test
    void refusesClassesThatSayNothingAboutEvents() {
        transaction.begin();

        for (Object nothing : List.of("OrderPlaced", 4711, new byte[1], Map.of(), new Object() {})) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> publisher.publish(nothing))
                    .withMessageContaining("does not declare its event type")
                    .withMessageContaining("publish(eventType, payload)");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> publisher.event(int[].class));
        assertThatNullPointerException().isThrownBy(() -> publisher.publish((Object) null));
        assertThat(committed()).isEmpty();
    }
}
