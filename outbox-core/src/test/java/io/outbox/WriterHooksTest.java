package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.support.Events;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriterHooksTest {

    private final List<String> calls = new ArrayList<>();
    private final List<EventEnvelope> batch = List.of(Events.event("e"));
    private final WriterHook hooks =
            new WriterHooks(List.of(new Recording("first"), new Recording("second")), new Recording("own"));

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
        public String ownerId(List<EventEnvelope> events) {
            return name;
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

    @Test
    void eachHookSeesWhatTheOneBeforeMadeOfTheBatchAndTheOutboxesOwnComesLast() {
        assertThat(hooks.beforeWrite(batch))
                .singleElement()
                .satisfies(event -> assertThat(event.headers())
                        .containsEntry("first", "0")
                        .containsEntry("second", "1")
                        .containsEntry("own", "2"));
    }

    @Test
    void theOutboxesOwnHookAloneDecidesOnTheOwner() {
        assertThat(hooks.ownerId(batch)).isEqualTo("own");
    }

    @Test
    void afterwardsTheOutboxesOwnHookComesFirst() {
        hooks.afterWrite(batch);
        hooks.afterCommit(batch);
        hooks.afterRollback(batch);

        assertThat(calls)
                .containsExactly(
                        "own afterWrite 1",
                        "first afterWrite 1",
                        "second afterWrite 1",
                        "own afterCommit 1",
                        "first afterCommit 1",
                        "second afterCommit 1",
                        "own afterRollback 1",
                        "first afterRollback 1",
                        "second afterRollback 1");
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
        WriterHook withFailing = new WriterHooks(List.of(failing, new Recording("last")), failing);

        withFailing.afterWrite(batch);
        withFailing.afterCommit(batch);
        withFailing.afterRollback(batch);

        assertThat(calls).containsExactly("last afterWrite 1", "last afterCommit 1", "last afterRollback 1");
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

            assertThat(new WriterHooks(List.of(suppressing, unreached), unreached).beforeWrite(batch))
                    .isEmpty();
        }
    }
}
