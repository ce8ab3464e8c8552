package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.model.EventStatus;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.Node;
import io.outbox.support.ScriptedBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Batches that begin while the target has not answered for those before. */
@ExtendWith(NoLeftoverThreads.class)
class UnderwayTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final Distant target = new Distant(10);
    private final Node node =
            Node.on(backend).delivery(settings -> settings.workerCount(1)).listenDirectly(target);

    @AfterEach
    void close() {
        target.answerAlways();
        node.close();
    }

    /** A target that answers when the test says so. */
    private static final class Distant implements BatchEventListener.Pipelined {

        private final int batchSize;
        private final List<Sent> sent = new CopyOnWriteArrayList<>();
        private final List<Integer> ended = new CopyOnWriteArrayList<>();
        private volatile boolean answers;

        private Distant(int batchSize) {
            this.batchSize = batchSize;
        }

        private record Sent(
                List<String> ids,
                CompletableFuture<List<BatchOutcome>> outcomes,
                Consumer<RouteUnavailableException> silence) {

            private void answer() {
                outcomes.complete(Collections.nCopies(ids.size(), BatchOutcome.done()));
            }
        }

        @Override
        public int maxBatchSize() {
            return batchSize;
        }

        @Override
        public Pending begin(
                List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence) {
            Sent batch =
                    new Sent(events.stream().map(EventEnvelope::eventId).toList(), new CompletableFuture<>(), silence);
            int number = sent.size();
            sent.add(batch);
            if (answers) {
                batch.answer();
            }
            return new Pending() {
                @Override
                public void whenAnswered(Runnable action) {
                    batch.outcomes.whenComplete((all, error) -> action.run());
                }

                @Override
                public List<BatchOutcome> outcomes() throws Exception {
                    ended.add(number);
                    try {
                        return batch.outcomes.get();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                        throw new RouteUnavailableException("interrupted", e);
                    } catch (ExecutionException e) {
                        throw (Exception) e.getCause();
                    }
                }
            };
        }

        private List<String> begun() {
            return sent.stream().flatMap(batch -> batch.ids.stream()).toList();
        }

        private void answerAlways() {
            answers = true;
            sent.forEach(Sent::answer);
        }
    }

    private void put(int events) {
        IntStream.range(0, events).forEach(i -> backend.put(Events.event("e%04d".formatted(i))));
    }

    private void awaitBegun(int events) {
        await().atMost(PATIENCE).until(() -> target.begun().size() == events);
    }

    private void awaitDone(int events) {
        await().atMost(PATIENCE).until(() -> backend.count(EventStatus.DONE) == events);
    }

    @Test
    void theNextBatchesBeginInOrderWhileTheTargetHasNotAnswered() {
        put(40);
        node.start();

        awaitBegun(40);
        assertThat(target.begun()).isSorted();
        target.sent.get(2).answer();
        target.sent.get(1).answer();
        assertThat(backend.count(EventStatus.DONE))
                .as("they end in their order")
                .isZero();

        target.sent.get(0).answer();
        awaitDone(30);
        target.sent.get(3).answer();
        awaitDone(40);
        assertThat(target.ended).containsExactly(0, 1, 2, 3);
    }

    @Test
    void whatIsNoFullBatchWaitsForTheAnswersToThoseBefore() {
        put(15);
        node.start();

        awaitBegun(10);
        target.sent.get(0).answer();
        awaitBegun(15);
        assertThat(target.sent).hasSize(2);
    }

    @Test
    void whatIsUnderWayIsBoundedInEvents() {
        put(Underway.MOST_EVENTS + 200);
        node.delivery(settings -> settings.coldQueueCapacity(2_000)).start();

        awaitBegun(64 * 10);
        target.answerAlways();
        awaitDone(Underway.MOST_EVENTS + 200);
        assertThat(target.begun()).isSorted();
    }

    @Test
    void whatIsUnderWayIsBoundedInBytes() {
        String large = '"' + "x".repeat(100_000) + '"';
        IntStream.range(0, 200)
                .forEach(i -> backend.put(Events.event("e%04d".formatted(i)).toBuilder()
                        .payloadJson(large)
                        .build()));
        node.start();

        awaitBegun(90);
        target.answerAlways();
        awaitDone(200);
    }

    @Test
    void inStrictOrderABatchIsWaitedFor() {
        put(40);
        node.delivery(settings -> settings.strictOrder()).start();

        awaitBegun(10);
        target.sent.get(0).answer();
        awaitBegun(20);
        assertThat(target.ended).containsExactly(0, 1);
    }

    @Test
    void eachEventOfABatchHasItsOwnOutcomeAlsoWhenOthersFail() {
        put(20);
        node.start();

        awaitBegun(20);
        List<BatchOutcome> half = new ArrayList<>(Collections.nCopies(5, BatchOutcome.done()));
        half.addAll(Collections.nCopies(5, BatchOutcome.of(DispatchResult.dead("no"))));
        target.sent.get(0).outcomes.complete(half);
        target.sent.get(1).outcomes.completeExceptionally(new RecoverableException("all of it"));

        awaitDone(5);
        await().atMost(PATIENCE).until(() -> backend.count(EventStatus.DEAD) == 5);
        await().atMost(PATIENCE).until(() -> backend.count(EventStatus.RETRY) == 10 || target.sent.size() > 2);
    }

    @Test
    void aListenerThatCannotDoItIsNotCalledWhileOthersAreUnderWay() {
        put(20);
        node.listen("Other", event -> DispatchResult.done()).start();
        awaitBegun(20);

        node.write(Events.event("other", "Other"));
        target.sent.get(0).answer();
        awaitDone(10);
        assertThat(node.delivered()).isEmpty();

        target.sent.get(1).answer();
        awaitDone(21);
        assertThat(node.delivered()).containsExactly("other");
    }

    @Test
    void whatIsUnderWayWhenTheTargetFallsSilentStaysThereAndLateAnswersCount() {
        put(20);
        node.start();
        awaitBegun(20);

        target.sent.get(0).silence.accept(new RouteUnavailableException("nothing heard"));
        node.write(Events.event("later"));
        assertThat(node.engine().unavailable()).hasSize(1);
        target.sent.get(0).answer();
        target.sent.get(1).answer();

        awaitDone(20);
        target.answerAlways();
        awaitDone(21);
        assertThat(node.engine().unavailable()).isEmpty();
        assertThat(target.begun()).doesNotHaveDuplicates();
    }

    @Test
    void aCloseThatIsForcedEndsAllBatchesUnderWayAndGivesTheirEventsBack() {
        node.named("node", Duration.ofMinutes(5));
        put(40);
        node.start();
        awaitBegun(40);

        node.close();

        assertThat(target.ended).containsExactly(0, 1, 2, 3);
        assertThat(backend.locked()).isZero();
        assertThat(backend.count(EventStatus.NEW)).isEqualTo(40);
    }

    @Test
    void aCloseWaitsForWhatIsUnderWay() throws Exception {
        node.delivery(settings -> settings.drainTimeoutMs(60_000));
        put(40);
        node.start();
        awaitBegun(40);

        CompletableFuture<Void> closing = CompletableFuture.runAsync(node::close);
        target.answerAlways();
        closing.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(backend.count(EventStatus.DONE)).isEqualTo(40);
    }
}
