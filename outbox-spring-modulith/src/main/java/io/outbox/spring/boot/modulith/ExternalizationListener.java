package io.outbox.spring.boot.modulith;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.EventEnvelope;
import io.outbox.EventException;
import io.outbox.RecoverableException;
import io.outbox.RouteUnavailableException;
import io.outbox.UnrecoverableException;
import io.outbox.sender.SilenceWatch;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.support.OutboxEventExternalizer;

/**
 * Hands events to Spring Modulith's transports. A batch is handed over as a whole, and then all answers are awaited:
 * events do not wait for each other. An event is done when every transport has answered for it. Thread-safe.
 *
 * <p>A transport that has not answered for three seconds is reported as silent, and its events stay with it until the
 * timeout: its client still tries, and an event that is given back meanwhile would arrive twice. Where one event of a
 * batch meets an outage, those that were not handed over yet go back uncounted: a client may block for a minute for
 * each of them.
 */
final class ExternalizationListener implements BatchEventListener.Waiting, AutoCloseable {

    /** The name under which events wait for it. */
    static final String NAME = "externalization";

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final EventExternalizationConfiguration configuration;
    private final Transports transports;
    private final EventClasses classes;
    private final int batchSize;
    private final Duration timeout;
    private final SilenceWatch watch = new SilenceWatch("outbox-modulith-watch-", PATIENCE);

    ExternalizationListener(
            EventExternalizationConfiguration configuration,
            Transports transports,
            EventClasses classes,
            OutboxModulithProperties properties) {
        this.configuration = configuration;
        this.transports = transports;
        this.classes = classes;
        this.batchSize = properties.batchSize();
        this.timeout = properties.timeout();
    }

    @Override
    public int maxBatchSize() {
        return batchSize;
    }

    @Override
    public List<BatchOutcome> onEvents(
            List<EventEnvelope> events, List<DeliveryInfo> infos, Consumer<RouteUnavailableException> silence)
            throws InterruptedException {
        List<CompletableFuture<?>> answers = new ArrayList<>(events.size());
        try (SilenceWatch.Call call = watch.begin(() -> reportTo(silence))) {
            for (EventEnvelope event : events) {
                CompletableFuture<?> answer = externalized(event, answers);
                answer.whenComplete((result, failure) -> call.answered());
                answers.add(answer);
            }
            await(answers);
        }
        return answers.stream().map(this::outcome).toList();
    }

    private static boolean reportTo(Consumer<RouteUnavailableException> silence) {
        silence.accept(new RouteUnavailableException(
                "The transport of Spring Modulith has not answered for " + PATIENCE.toSeconds() + " s"));
        return true;
    }

    private CompletableFuture<?> externalized(EventEnvelope event, List<CompletableFuture<?>> before) {
        if (transports.externalizers().isEmpty()) {
            return CompletableFuture.failedFuture(
                    new RouteUnavailableException(
                            "This application no longer has a Spring Modulith transport. Events are kept until it has one again"));
        }
        if (before.stream().anyMatch(ExternalizationListener::metAnOutage)) {
            return CompletableFuture.failedFuture(new RouteUnavailableException(
                    "Not sent, because another event of the batch could not reach its target"));
        }
        try {
            Object object = classes.read(event);
            if (!configuration.supports(object)) {
                throw new UnrecoverableException(
                        object.getClass().getName()
                                + " is no longer selected for externalization. Select it again and replay the event, or discard it");
            }
            return CompletableFuture.allOf(transports.externalizers().stream()
                    .map(externalizer -> externalize(externalizer, object))
                    .toArray(CompletableFuture<?>[]::new));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Turns what a mapping or a route throws into the event's failure, too. */
    private static CompletableFuture<?> externalize(OutboxEventExternalizer externalizer, Object event) {
        try {
            return externalizer.externalize(event);
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static boolean metAnOutage(CompletableFuture<?> answer) {
        return answer.isCompletedExceptionally()
                && Outages.isOne(answer.handle((result, failure) -> failure).join());
    }

    private void await(List<CompletableFuture<?>> answers) throws InterruptedException {
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new))
                    .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // each event has its own outcome
        }
    }

    private BatchOutcome outcome(CompletableFuture<?> answer) {
        if (!answer.isDone()) {
            return BatchOutcome.failed(new RouteUnavailableException(
                    "The transport of Spring Modulith has not answered within " + timeout));
        }
        return answer.handle((result, failure) -> failure == null ? BatchOutcome.done() : failed(cause(failure)))
                .join();
    }

    private static Throwable cause(Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null
                ? cause(failure.getCause())
                : failure;
    }

    private static BatchOutcome failed(Throwable failure) {
        if (failure instanceof EventException) {
            return BatchOutcome.failed(failure);
        }
        String reason = "The transport of Spring Modulith failed: " + failure;
        return BatchOutcome.failed(
                Outages.isOne(failure)
                        ? new RouteUnavailableException(reason, failure)
                        : new RecoverableException(reason, failure));
    }

    @Override
    public void close() {
        watch.close();
    }
}
