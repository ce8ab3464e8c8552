package io.outbox.rabbitmq;

import com.rabbitmq.client.ShutdownSignalException;
import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.RouteUnavailableException;
import io.outbox.sender.SilenceWatch;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A batch on its way to the broker. If something is against sending it right away, it waits until those before it have
 * ended, and is sent when its outcomes are asked for. For the thread that has begun it.
 */
final class PendingBatch implements BatchEventListener.Pending {

    private final Sending sending;
    private final Confirms confirms;

    @SuppressWarnings("NullAway.Init") // begin sets it
    private SilenceWatch.Call call;

    private List<Outgoing> messages = List.of();
    private ConfirmChannel.@Nullable Flight flight;
    private boolean isInLine;
    private @Nullable RouteUnavailableException failure;
    /** Whether it waits for others of this thread, and nothing of the broker. */
    private volatile boolean waits;

    PendingBatch(Sending sending, Confirms confirms) {
        this.sending = sending;
        this.confirms = confirms;
    }

    /** Something that may end because the broker is away, or because of an interrupt. */
    @FunctionalInterface
    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    void begin(List<Outgoing> routed, SilenceWatch.Call silenceWatch) {
        call = silenceWatch;
        try {
            attempt(() -> {
                messages = sending.toKnownExchanges(routed, confirms);
                if (!messages.isEmpty()) {
                    isInLine = true;
                    flight = sending.sendAhead(messages, confirms);
                    waits = flight == null;
                }
            });
        } catch (RuntimeException e) {
            end();
            throw e;
        }
    }

    /** Returns whether the broker, and nobody else, keeps this batch waiting. */
    boolean isOwedAnAnswer() {
        return !waits && !confirms.isComplete();
    }

    @Override
    public void whenAnswered(Runnable action) {
        if (flight == null) {
            action.run();
        } else {
            flight.whenAnswered(action);
        }
    }

    @Override
    public List<BatchOutcome> outcomes() {
        try {
            if (failure == null && isInLine) {
                attempt(this::finish);
            }
        } finally {
            end();
        }
        return failure == null ? confirms.outcomes() : confirms.outcomes(failure);
    }

    /** Leaves the line, whatever has happened: the next batches of this thread wait behind those that are in it. */
    private void end() {
        if (isInLine) {
            sending.ended(flight);
        }
        call.close();
    }

    private void finish() throws IOException, InterruptedException {
        if (flight == null) {
            waits = false;
            call.answered(); // the broker was not asked until now
            sending.send(messages, confirms);
        } else {
            sending.finish(flight, messages, confirms);
        }
    }

    private void attempt(Step step) {
        try {
            step.run();
        } catch (RouteUnavailableException e) {
            failure = e;
        } catch (IOException | ShutdownSignalException e) {
            failure = new RouteUnavailableException(
                    "RabbitMQ is unavailable: " + CloseReason.of(e).text(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new RouteUnavailableException("interrupted while waiting for confirms", e);
        }
    }
}
