package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.internal.subscription.Subscriptions;
import io.outbox.internal.writing.HotPath;
import io.outbox.internal.writing.Reservation;
import io.outbox.spi.NewEvent;
import io.outbox.spi.TransactionEnd;
import io.outbox.store.StoreBackend;
import io.outbox.support.Events;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Several hooks around one write, and the hot path among them. */
class WriterHooksTest {

    private final FiveMethodStore store = new FiveMethodStore();
    private final ManualTransaction transaction = new ManualTransaction(store);
    private final List<String> calls = new ArrayList<>();

    /** Records its calls, and adds its name to the events. */
    private final class Recording implements WriterHook {
        private final String name;

        Recording(String name) {
            this.name = name;
        }

        @Override
        public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
            return events.stream()
                    .map(event -> event.toBuilder()
                            .header(name, String.valueOf(event.headers().size()))
                            .build())
                    .toList();
        }

        @Override
        public void afterWrite(List<EventEnvelope> events) {
            calls.add(name + " afterWrite " + events.size());
        }

        @Override
        public void afterCommit(List<EventEnvelope> events) {
            calls.add(name + " afterCommit " + events.size());
        }

        @Override
        public void afterRollback(List<EventEnvelope> events) {
            calls.add(name + " afterRollback " + events.size());
        }
    }

    /** Records what becomes of its reservations. */
    private final class RecordingPath implements HotPath {
        @Override
        public Reservation reserve(List<EventEnvelope> events) {
            calls.add("reserved " + events.size());
            return new Reservation() {
                @Override
                public List<NewEvent> events() {
                    return events.stream().map(NewEvent::unowned).toList();
                }

                @Override
                public void written(Set<String> owned) {
                    calls.add("written");
                }

                @Override
                public void ended(TransactionEnd end) {
                    calls.add("ended " + end);
                }
            };
        }

        @Override
        public void takeCommitted(List<EventEnvelope> events) {
            calls.add("taken " + events.size());
        }
    }

    private OutboxWriter writer(HotPath path, WriterHook... hooks) {
        return new DefaultOutboxWriter(
                StoreBackend.forWriting(transaction, store), List.of(hooks), Subscriptions.NONE, path);
    }

    private void commit(OutboxWriter writer) {
        transaction.begin();
        writer.write(Events.event("e"));
        transaction.commit();
    }

    private void rollBack(OutboxWriter writer) {
        transaction.begin();
        writer.write(Events.event("e"));
        transaction.rollback();
    }

    @Test
    void eachHookSeesWhatTheOneBeforeMadeOfTheBatch() {
        commit(writer(HotPath.NONE, new Recording("first"), new Recording("second"), new Recording("third")));

        assertThat(EventEnvelope.restore(store.row("e").stored()).headers())
                .containsEntry("first", "0")
                .containsEntry("second", "1")
                .containsEntry("third", "2");
    }

    @Test
    void theHotPathReservesWhatTheHooksMadeAndHearsOfTheEndBeforeThem() {
        commit(writer(new RecordingPath(), new Recording("hook")));

        assertThat(calls)
                .containsExactly("reserved 1", "written", "hook afterWrite 1", "ended COMMITTED", "hook afterCommit 1");
    }

    @Test
    void hooksAreCalledInOrderAfterwards() {
        OutboxWriter writer = writer(HotPath.NONE, new Recording("first"), new Recording("second"));

        commit(writer);
        transaction.begin();
        writer.write(Events.event("f"));
        transaction.rollback();

        assertThat(calls)
                .containsExactly(
                        "first afterWrite 1",
                        "second afterWrite 1",
                        "first afterCommit 1",
                        "second afterCommit 1",
                        "first afterWrite 1",
                        "second afterWrite 1",
                        "first afterRollback 1",
                        "second afterRollback 1");
    }

    @Test
    void aHookThatIsTheHotPathIsNotCalledAfterwardsAsWell() {
        RecordingPath path = new RecordingPath();
        WriterHook hook = new WriterHook() {
            @Override
            public void afterCommit(List<EventEnvelope> events) {
                calls.add("never");
            }

            @Override
            public <T> T unwrap(Class<T> type) {
                return type.isInstance(path) ? type.cast(path) : null;
            }
        };

        transaction.begin();
        new DefaultOutboxWriter(StoreBackend.forWriting(transaction, store), hook).write(Events.event("e"));
        transaction.commit();

        assertThat(calls).containsExactly("reserved 1", "written", "ended COMMITTED");
    }

    @Test
    void aHookThatThrowsAfterwardsKeepsNoOtherFromBeingCalled() {
        WriterHook failing = new WriterHook() {
            @Override
            public void afterWrite(List<EventEnvelope> events) {
                throw new IllegalStateException("afterWrite");
            }

            @Override
            public void afterCommit(List<EventEnvelope> events) {
                throw new AssertionError("afterCommit");
            }

            @Override
            public void afterRollback(List<EventEnvelope> events) {
                throw new IllegalStateException("afterRollback");
            }
        };
        OutboxWriter writer = writer(HotPath.NONE, failing, new Recording("last"));

        rollBack(writer);
        commit(writer);

        assertThat(calls)
                .containsExactly(
                        "last afterWrite 1", "last afterRollback 1", "last afterWrite 1", "last afterCommit 1");
    }

    @Test
    void whatOneHookSuppressesNoOtherSees() {
        for (List<EventEnvelope> nothing : Arrays.<List<EventEnvelope>>asList(null, List.of())) {
            WriterHook suppressing = new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    return nothing;
                }
            };
            WriterHook unreached = new WriterHook() {
                @Override
                public List<EventEnvelope> beforeWrite(List<EventEnvelope> events) {
                    throw new AssertionError("called with " + events);
                }
            };
            transaction.begin();

            assertThat(writer(new RecordingPath(), suppressing, unreached).writeAll(List.of(Events.event("e"))))
                    .isEmpty();

            transaction.commit();
            assertThat(calls).isEmpty();
        }
    }
}
