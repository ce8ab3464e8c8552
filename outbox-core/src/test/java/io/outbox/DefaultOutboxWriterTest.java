package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class DefaultOutboxWriterTest {

    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final List<String> calls = new ArrayList<>();

    /** Records its calls, with the number of rows in the store at that time, and may fail in one phase. */
    private final class RecordingHook implements WriterHook {
        private final String failingPhase;

        RecordingHook(String failingPhase) {
            this.failingPhase = failingPhase;
        }

        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            called("beforeWrite", events);
            return events;
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            called("afterWrite", events);
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            called("afterCommit", events);
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            called("afterRollback", events);
        }

        private void called(String phase, List<EventEnvelope> events) {
            List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
            calls.add(phase + " " + ids + " rows=" + store.size() + "+"
                    + uncommitted().size());
            if (phase.equals(failingPhase)) {
                throw new IllegalStateException("hook");
            }
        }
    }

    private List<String> uncommitted() {
        return store.uncommitted(transaction.currentConnection());
    }

    private OutboxWriter writer(WriterHook hook) {
        return new DefaultOutboxWriter(transaction, store, hook);
    }

    @Test
    void needsATransaction() {
        OutboxWriter writer = writer(new RecordingHook(null));

        assertThatIllegalStateException()
                .isThrownBy(() -> writer.write(Events.event("1")))
                .withMessageContaining("transaction");
        assertThatIllegalStateException().isThrownBy(() -> writer.write("A", "{}"));
        assertThatIllegalStateException().isThrownBy(() -> writer.writeAll(List.of(Events.event("1"))));
        assertThat(calls).isEmpty();
        assertThat(store.size()).isZero();
    }

    @Test
    void insertsOnTheConnectionOfTheTransaction() {
        Connection connection = transaction.begin().currentConnection();

        String id = writer(WriterHook.NOOP).write(Events.event("1"));

        assertThat(id).isEqualTo("1");
        assertThat(store.uncommitted(connection)).containsExactly("1");
        assertThat(store.size()).isZero();
    }

    @Test
    void writesByTypeAndPayload() {
        transaction.begin();
        OutboxWriter writer = new DefaultOutboxWriter(transaction, store);

        String first = writer.write("A", "{\"n\":1}");
        String second = writer.write(StringEventType.of("B"), "{\"n\":2}");

        transaction.commit();

        assertThat(store.ids()).containsExactly(first, second);
        assertThat(store.row(first).stored().payloadJson()).isEqualTo("{\"n\":1}");
        assertThat(store.row(second).stored().eventType()).isEqualTo("B");
    }

    @Test
    void writesABatchInOrderAndReturnsItsIds() {
        transaction.begin();

        List<String> ids =
                writer(WriterHook.NOOP).writeAll(List.of(Events.event("2"), Events.event("1"), Events.event("3")));

        assertThat(ids).containsExactly("2", "1", "3");
        assertThat(uncommitted()).containsExactly("2", "1", "3");
    }

    @Test
    void callsTheHookInOrderAroundACommit() {
        transaction.begin();

        writer(new RecordingHook(null)).writeAll(List.of(Events.event("1"), Events.event("2")));
        calls.add("commit");
        transaction.commit();

        assertThat(calls)
                .containsExactly(
                        "beforeWrite [1, 2] rows=0+0",
                        "afterWrite [1, 2] rows=0+2",
                        "commit",
                        "afterCommit [1, 2] rows=2+0");
    }

    @Test
    void callsTheHookAfterARollback() {
        transaction.begin();

        writer(new RecordingHook(null)).write(Events.event("1"));
        transaction.rollback();

        assertThat(calls)
                .containsExactly("beforeWrite [1] rows=0+0", "afterWrite [1] rows=0+1", "afterRollback [1] rows=0+0");
    }

    @Test
    void registersOncePerBatch() {
        transaction.begin();
        OutboxWriter writer = writer(new RecordingHook(null));

        writer.writeAll(List.of(Events.event("1"), Events.event("2"), Events.event("3")));
        assertThat(transaction.commitCallbacks()).isEqualTo(1);
        assertThat(transaction.rollbackCallbacks()).isEqualTo(1);

        writer.write(Events.event("4"));
        assertThat(transaction.commitCallbacks()).isEqualTo(2);
        assertThat(transaction.rollbackCallbacks()).isEqualTo(2);
    }

    @Test
    void insertsWhatTheHookReturns() {
        transaction.begin();
        List<EventEnvelope> committed = new ArrayList<>();
        EventEnvelope replacement = Events.event("replacement");
        OutboxWriter writer = writer(new WriterHook() {
            @Override
            public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                return List.of(replacement);
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                committed.addAll(events);
            }
        });

        assertThat(writer.writeAll(List.of(Events.event("1"), Events.event("2"))))
                .containsExactly("replacement");
        transaction.commit();

        assertThat(store.ids()).containsExactly("replacement");
        assertThat(committed).containsExactly(replacement);
    }

    @Test
    void givesTheHotPathTheTimesThatAStoreKeeps() {
        transaction.begin();
        List<EventEnvelope> committed = new ArrayList<>();
        OutboxWriter writer = writer(new WriterHook() {
            @Override
            public void afterCommit(List<EventEnvelope> events) {
                committed.addAll(events);
            }
        });
        Instant precise = Instant.parse("2026-01-02T03:04:05.123456789Z");
        Instant cut = Instant.parse("2026-01-02T03:04:05.123456Z");
        EventEnvelope inMicros = Events.eventAt("micros", cut);
        EventEnvelope inNanos = EventEnvelope.builder(Events.TYPE)
                .eventId("nanos")
                .occurredAt(precise)
                .availableAt(precise.plusSeconds(1))
                .payloadJson("{}")
                .build();

        writer.writeAll(List.of(inMicros, inNanos));
        transaction.commit();

        assertThat(committed.get(0)).isSameAs(inMicros);
        assertThat(committed.get(1).occurredAt()).isEqualTo(cut);
        assertThat(committed.get(1).availableAt()).isEqualTo(cut.plusSeconds(1));
    }

    @Test
    void writesNothingThatTheHookSuppresses() {
        transaction.begin();
        for (List<EventEnvelope> suppressed : Arrays.<List<EventEnvelope>>asList(null, List.of())) {
            OutboxWriter writer = writer(new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    return suppressed;
                }

                @Override
                public void afterWrite(List<EventEnvelope> events) {
                    calls.add("never");
                }
            });

            assertThat(writer.write(Events.event("1"))).isNull();
            assertThat(writer.write("A", "{}")).isNull();
            assertThat(writer.write(StringEventType.of("A"), "{}")).isNull();
            assertThat(writer.writeAll(List.of(Events.event("1")))).isEmpty();
        }
        assertThat(uncommitted()).isEmpty();
        assertThat(transaction.registrations()).isZero();
        assertThat(calls).isEmpty();
    }

    @Test
    void writesAnEmptyBatchAsNothing() {
        transaction.begin();

        assertThat(writer(new RecordingHook(null)).writeAll(List.of())).isEmpty();
        assertThat(calls).isEmpty();
        assertThat(transaction.registrations()).isZero();
    }

    @Test
    void letsTheHookStopAWriteByThrowing() {
        transaction.begin();

        assertThatIllegalStateException()
                .isThrownBy(() -> writer(new RecordingHook("beforeWrite")).write(Events.event("1")))
                .withMessage("hook");
        assertThat(uncommitted()).isEmpty();
        assertThat(transaction.registrations()).isZero();
    }

    @Test
    void ignoresWhatTheHookThrowsAfterTheInsert() {
        for (String phase : List.of("afterWrite", "afterCommit", "afterRollback")) {
            transaction.begin();
            OutboxWriter writer = writer(new RecordingHook(phase));

            assertThat(writer.write(Events.event(phase))).isEqualTo(phase);
            assertThatNoException()
                    .isThrownBy(phase.equals("afterRollback") ? transaction::rollback : transaction::commit);

            assertThat(calls).last().asString().startsWith(phase.equals("afterWrite") ? "afterCommit" : phase);
        }
    }

    @Test
    void tellsTheHookOfARollbackWhenTheTransactionTakesNoCallbacks() {
        transaction.begin();
        RuntimeException failure = new IllegalStateException("no synchronization");
        transaction.failRegistration(failure);

        assertThatIllegalStateException()
                .isThrownBy(() -> writer(new RecordingHook(null)).write(Events.event("1")))
                .isSameAs(failure);
        assertThat(calls).last().asString().startsWith("afterRollback");
    }

    @Test
    void doesNotNoticeChangesOfTheGivenList() {
        transaction.begin();
        List<EventEnvelope> given = new ArrayList<>(List.of(Events.event("1")));

        writer(new RecordingHook(null)).writeAll(given);
        given.clear();
        transaction.commit();

        assertThat(calls).last().isEqualTo("afterCommit [1] rows=1+0");
    }

    @Test
    void refusesNull() {
        transaction.begin();
        OutboxWriter writer = writer(WriterHook.NOOP);

        assertThatNullPointerException()
                .isThrownBy(() -> writer.write((EventEnvelope) null))
                .withMessageContaining("event");
        assertThatNullPointerException().isThrownBy(() -> writer.writeAll(null)).withMessageContaining("events");
        assertThatNullPointerException()
                .isThrownBy(() -> writer.writeAll(Arrays.asList(Events.event("1"), null)))
                .withMessageContaining("events");
        assertThat(uncommitted()).isEmpty();
        assertThatNullPointerException()
                .isThrownBy(() -> new DefaultOutboxWriter(null, store))
                .withMessageContaining("txContext");
        assertThatNullPointerException()
                .isThrownBy(() -> new DefaultOutboxWriter(transaction, null))
                .withMessageContaining("outboxStore");
        assertThatNullPointerException()
                .isThrownBy(() -> new DefaultOutboxWriter(transaction, store, null))
                .withMessageContaining("writerHook");
    }
}
