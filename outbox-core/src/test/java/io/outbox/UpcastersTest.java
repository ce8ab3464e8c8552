package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.dispatch.EventInterceptor;
import io.outbox.model.EventStatus;
import io.outbox.model.FailureText;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Payloads of older versions, brought up to date on their way to the listener. */
@ExtendWith(NoLeftoverThreads.class)
class UpcastersTest {

    private static final Upcaster TO_2 = Upcaster.of("OrderPlaced", 1, payload -> payload + "+2");
    private static final Upcaster TO_3 = Upcaster.of("OrderPlaced", 2, payload -> payload + "+3");

    private final ScriptedBackend store = new ScriptedBackend().withoutTransactions();
    private final List<String> delivered = new ArrayList<>();
    private final DefaultListenerRegistry registry = new DefaultListenerRegistry().register("OrderPlaced", event -> {
        delivered.add(event.version() + " " + event.payloadJson());
        return DispatchResult.done();
    });
    private Outbox outbox;

    @AfterEach
    void close() {
        if (outbox != null) {
            outbox.close();
        }
    }

    private Outbox.SingleNodeBuilder builder(Upcaster... upcasters) {
        Outbox.SingleNodeBuilder builder =
                Outbox.singleNode().backend(store).listenerRegistry(registry).startManually();
        List.of(upcasters).forEach(builder::upcaster);
        return builder;
    }

    private static EventEnvelope placed(int version, String payload) {
        return EventEnvelope.builder("OrderPlaced")
                .eventId(payload + version)
                .payloadJson(payload)
                .version(version)
                .build();
    }

    private void deliver(Outbox.SingleNodeBuilder builder) {
        outbox = builder.build();
        outbox.deliverDue();
    }

    @Test
    void everyVersionReachesTheListenerInTheLatest() {
        store.put(placed(1, "a"), placed(2, "b"), placed(3, "c"));

        deliver(builder(TO_3, TO_2));

        assertThat(delivered).containsExactlyInAnyOrder("3 a+2+3", "3 b+3", "3 c");
        assertThat(store.count(EventStatus.DONE)).isEqualTo(3);
    }

    @Test
    void whatIsWrittenHasTheVersionOfItsType() {
        outbox = builder(TO_2, TO_3).build();
        outbox.writer().write(EventEnvelope.ofJson("OrderPlaced", "new"));
        outbox.writer().write(placed(1, "relayed"));
        outbox.writer().write(EventEnvelope.ofJson("Other", "x"));

        assertThat(store.rows())
                .extracting(row -> EventEnvelope.restore(row.event()).version())
                .containsExactlyInAnyOrder(3, 1, 1);
        outbox.deliverDue();
        assertThat(delivered).containsExactlyInAnyOrder("3 new", "3 relayed+2+3");
    }

    @Test
    void anUpcasterMayLeadOverSeveralVersions() {
        store.put(placed(1, "a"), placed(3, "c"));

        deliver(builder(
                Upcaster.of("OrderPlaced", 1, 4, payload -> payload + "+4"), Upcaster.of("OrderPlaced", 3, p -> p)));

        assertThat(delivered).containsExactlyInAnyOrder("4 a+4", "4 c");
    }

    @Test
    void rowsOfSubscriptionsAndFormerNamesAreBroughtUpToDate() {
        registry.alias("OrderMade", "OrderPlaced");
        store.put(EventEnvelope.ofJson("OrderMade", "former"));
        List<String> mailed = new ArrayList<>();
        outbox = builder(TO_2)
                .subscribe("mail", "OrderPlaced", event -> {
                    mailed.add(event.version() + " " + event.payloadJson());
                    return DispatchResult.done();
                })
                .build();
        outbox.writer().write(placed(1, "a"));
        outbox.deliverDue();

        assertThat(delivered).containsExactlyInAnyOrder("2 former+2", "2 a+2");
        assertThat(mailed).containsExactly("2 a+2");
    }

    @Test
    void interceptorsSeeWhatTheListenerSees() {
        List<String> seen = new ArrayList<>();
        store.put(placed(1, "a"));

        deliver(builder(TO_2).interceptor(EventInterceptor.before(event -> seen.add(event.payloadJson()))));

        assertThat(seen).containsExactly("a+2");
    }

    @Test
    void theStoredEventStaysAsItWasWritten() {
        DefaultListenerRegistry failing =
                new DefaultListenerRegistry().register("OrderPlaced", event -> DispatchResult.dead("not today"));
        store.put(placed(1, "a"));

        deliver(builder(TO_2).listenerRegistry(failing));

        assertThat(store.row("a1").event().payloadJson()).isEqualTo("a");
        assertThat(EventEnvelope.restore(store.row("a1").event()).version()).isEqualTo(1);
    }

    @Test
    void ofABatchOnlyTheEventThatCannotBeBroughtUpToDateFails() {
        DefaultListenerRegistry batching = new DefaultListenerRegistry().register("OrderPlaced", (BatchEventListener)
                events -> events.stream()
                        .map(event -> {
                            delivered.add(event.payloadJson());
                            return BatchOutcome.done();
                        })
                        .toList());
        store.put(placed(1, "a"), placed(9, "b"), placed(1, "c"));

        deliver(builder(TO_2).listenerRegistry(batching));

        assertThat(delivered).containsExactlyInAnyOrder("a+2", "c+2");
        assertThat(store.status("b9")).isEqualTo(EventStatus.DEAD);
    }

    @Test
    void aNewerVersionIsDeadOnASingleNodeAndCanBeReplayed() {
        store.put(placed(3, "c"));
        deliver(builder(TO_2));

        assertThat(delivered).isEmpty();
        assertThat(FailureText.of(store.row("c3").lastError()).summary())
                .contains("version 3", "'OrderPlaced'", "up to 2", "replay");
    }

    @Test
    void withoutAnUpcasterForAnOldVersionTheReasonSaysWhich() {
        store.put(placed(1, "a"));
        deliver(builder().eventVersion("OrderPlaced", 2));

        assertThat(delivered).isEmpty();
        assertThat(FailureText.of(store.row("a1").lastError()).summary()).contains("no upcaster from 1", "add one");
    }

    @Test
    void whatAnUpcasterThrowsIsTheReason() {
        store.put(placed(1, "a"));
        deliver(builder(Upcaster.of("OrderPlaced", 1, payload -> {
            throw new IllegalStateException("no customer");
        })));

        assertThat(store.status("a1")).isEqualTo(EventStatus.DEAD);
        assertThat(store.row("a1").lastError())
                .contains("upcaster of event type 'OrderPlaced' from version 1 to 2 failed", "no customer");
    }

    @Test
    void binaryPayloadsNeedAnUpcasterForBytes() {
        EventEnvelope bytes = EventEnvelope.builder("OrderPlaced")
                .eventId("b")
                .payloadBytes(new byte[] {1})
                .build();
        store.put(bytes);
        deliver(builder(TO_2));

        assertThat(store.row("b").lastError()).contains("upcast(byte[])");
    }

    @Test
    void binaryPayloadsAreBroughtUpToDate() {
        List<byte[]> seen = new ArrayList<>();
        DefaultListenerRegistry raw = new DefaultListenerRegistry().register("Photo", event -> {
            seen.add(event.payloadBytes());
            return DispatchResult.done();
        });
        store.put(EventEnvelope.builder("Photo").payloadBytes(new byte[] {1}).build());
        deliver(builder(new Upcaster() {
                    @Override
                    public String eventType() {
                        return "Photo";
                    }

                    @Override
                    public int fromVersion() {
                        return 1;
                    }

                    @Override
                    public String upcast(String payload) {
                        throw new AssertionError("the payload is binary");
                    }

                    @Override
                    public byte[] upcast(byte[] payload) {
                        return new byte[] {payload[0], 2};
                    }
                })
                .listenerRegistry(raw));

        assertThat(seen).hasSize(1);
        assertThat(seen.get(0)).containsExactly(1, 2);
    }

    @Test
    void tombstonesHaveNoPayloadToChange() {
        List<Boolean> seen = new ArrayList<>();
        DefaultListenerRegistry tombstones = new DefaultListenerRegistry().register("OrderPlaced", event -> {
            seen.add(event.isTombstone());
            return DispatchResult.done();
        });
        store.put(EventEnvelope.builder("OrderPlaced").tombstone().build());
        deliver(builder(TO_2).listenerRegistry(tombstones));

        assertThat(seen).containsExactly(true);
    }

    @Test
    void aPayloadMayOutgrowTheLimitForWriters() {
        List<Integer> lengths = new ArrayList<>();
        DefaultListenerRegistry sizes = new DefaultListenerRegistry().register("OrderPlaced", event -> {
            lengths.add(event.payloadJson().length());
            return DispatchResult.done();
        });
        store.put(placed(1, "x".repeat(20)));
        deliver(builder(Upcaster.of("OrderPlaced", 1, p -> p.repeat(EventEnvelope.MAX_PAYLOAD_BYTES / 10)))
                .listenerRegistry(sizes));

        assertThat(lengths).containsExactly(20 * (EventEnvelope.MAX_PAYLOAD_BYTES / 10));
    }

    @Test
    void upcastersThatCannotWorkAreRefused() {
        assertThatIllegalStateException()
                .isThrownBy(() -> builder(TO_2, TO_2).build())
                .withMessageContaining("two upcasters from version 1 of event type 'OrderPlaced'");
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        builder(TO_2, Upcaster.of("OrderPlaced", 3, p -> p)).build())
                .withMessageContaining("leads to version 2, and the version of the type is 4")
                .withMessageContaining("add an upcaster from version 2");
        assertThatIllegalStateException()
                .isThrownBy(() -> builder(TO_3).eventVersion("OrderPlaced", 2).build())
                .withMessageContaining("correct the version of the type");
        assertThatIllegalStateException()
                .isThrownBy(() -> builder().eventVersion("T", 2).eventVersion("T", 3))
                .withMessageContaining("one version at a time");
        assertThatIllegalArgumentException().isThrownBy(() -> builder().eventVersion("T", 0));
        assertThatIllegalArgumentException().isThrownBy(() -> Upcaster.of("T", 2, 2, p -> p));
        assertThatIllegalArgumentException().isThrownBy(() -> Upcaster.of("T", 0, p -> p));
    }
}
