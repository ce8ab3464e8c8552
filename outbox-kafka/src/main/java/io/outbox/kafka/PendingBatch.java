package io.outbox.kafka;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.SilenceWatch;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/** A batch that the producer has, and what becomes of it. For the thread that has begun it. */
final class PendingBatch implements BatchEventListener.Pending {

    /** How often an event is sent that is refused because of others. */
    private static final int MOST_ROUNDS = 3;

    private final BatchSend batch;
    private final Acknowledgements acknowledgements;
    private final SilenceWatch.Call call;
    private final Duration emergencyTimeout;
    private @Nullable RouteUnavailableException failure;

    PendingBatch(
            BatchSend batch, Acknowledgements acknowledgements, SilenceWatch.Call call, Duration emergencyTimeout) {
        this.batch = batch;
        this.acknowledgements = acknowledgements;
        this.call = call;
        this.emergencyTimeout = emergencyTimeout;
    }

    /** Something that may end because the broker is away, or because of an interrupt. */
    @FunctionalInterface
    private interface Step {
        void run() throws InterruptedException;
    }

    /** Hands all events to the producer. */
    void begin() {
        attempt(() -> send(IntStream.range(0, acknowledgements.open()).boxed().toList()));
    }

    private void send(List<Integer> indexes) throws InterruptedException {
        batch.send(indexes, emergencyTimeout);
        acknowledgements.handedOver();
    }

    @Override
    public void whenAnswered(Runnable action) {
        acknowledgements.whenComplete(action);
    }

    @Override
    public List<BatchOutcome> outcomes() {
        if (failure == null) {
            attempt(this::finish);
        }
        call.close();
        return failure == null ? acknowledgements.outcomes() : acknowledgements.outcomes(failure);
    }

    /**
     * Waits for all answers, and sends those again that the broker refused only because of others in the same request.
     */
    private void finish() throws InterruptedException {
        acknowledgements.await();
        List<Integer> innocent = acknowledgements.reopenInnocent();
        for (int round = 1; round < MOST_ROUNDS && !innocent.isEmpty(); round++) {
            send(innocent);
            acknowledgements.await();
            innocent = acknowledgements.reopenInnocent();
        }
        innocent.forEach(acknowledgements::refusedWithOthers);
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (RouteUnavailableException e) {
            fail(e);
        } catch (InterruptedException | InterruptException e) {
            Thread.currentThread().interrupt();
            fail(new RouteUnavailableException("interrupted while waiting for acknowledgements", e));
        }
    }

    private void fail(RouteUnavailableException reason) {
        failure = reason;
        acknowledgements.giveUp();
    }
}
