package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ContextPropagator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a writer's thread knows is known around the listener, and nowhere else. */
class ContextPropagationTest {

    private static final String TYPE = "T";
    private static final String HEADER = "request";

    private final ThreadLocal<String> request = new ThreadLocal<>();
    private final Queue<String> leaks = new ConcurrentLinkedQueue<>();
    private final List<String> seen = new ArrayList<>();
    private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    private final ManualOutbox outbox = ManualOutbox.create(
            listeners,
            settings -> settings.retryPolicy(attempts -> 1000)
                    .contextPropagator(new Requests())
                    .interceptor(new EventInterceptor() {
                        @Override
                        public void beforeDispatch(EventEnvelope event) {
                            note("before", event);
                        }

                        @Override
                        public void afterDispatch(EventEnvelope event, Exception error) {
                            note("after", event);
                        }
                    }));

    /** Carries the request that a thread works for. */
    private final class Requests implements ContextPropagator {

        @Override
        public Map<String, String> capture() {
            return request.get() == null ? Map.of() : Map.of(HEADER, request.get());
        }

        @Override
        public Scope restore(Map<String, String> headers) {
            String before = request.get();
            if (before != null) {
                leaks.add(before);
            }
            request.set(headers.get(HEADER));
            return () -> request.set(before);
        }
    }

    @AfterEach
    void closeOutbox() {
        outbox.close();
    }

    private void note(String step, EventEnvelope event) {
        seen.add(step + " " + event.payloadJson() + " in " + request.get());
    }

    private String write(String payload, String writer) {
        request.set(writer);
        try {
            return outbox.callInTransaction(() -> outbox.writer()
                    .write(outbox.event(TYPE).payloadJson(payload).build()));
        } finally {
            request.remove();
        }
    }

    @Test
    void interceptorsAndListenerAreInTheContextOfTheWriter() {
        listeners.register(TYPE, event -> {
            note("listen", event);
            return DispatchResult.done();
        });
        write("1", "a");
        write("2", "b");

        outbox.deliverDue();

        assertThat(seen)
                .containsExactly(
                        "before 1 in a",
                        "listen 1 in a",
                        "after 1 in a",
                        "before 2 in b",
                        "listen 2 in b",
                        "after 2 in b");
        assertThat(request.get()).isNull();
        assertThat(leaks).isEmpty();
    }

    @Test
    void anEventOfAWriterWithoutContextHasNone() {
        listeners.register(TYPE, event -> {
            note("listen", event);
            return DispatchResult.done();
        });
        write("1", "a");
        write("2", null);

        outbox.deliverDue();

        assertThat(seen).contains("listen 1 in a", "listen 2 in null");
    }

    @Test
    void theContextComesBackWithEveryAttempt() {
        listeners.register(TYPE, EventListener.informed((event, info) -> {
            note("listen", event);
            if (!info.isRetry()) {
                throw new IOException("first");
            }
            return DispatchResult.done();
        }));
        write("1", "a");

        outbox.deliverDue();
        assertThat(request.get()).isNull();
        outbox.advanceToNextDue();
        outbox.deliverDue();

        assertThat(seen)
                .filteredOn(step -> step.startsWith("listen"))
                .containsExactly("listen 1 in a", "listen 1 in a");
        assertThat(request.get()).isNull();
    }

    @Test
    void aBatchListenerStandsOutsideWhileInterceptorsAreInTheContextOfTheirEvent() {
        listeners.register(TYPE, (BatchEventListener) events -> {
            events.forEach(event -> note("listen", event));
            return events.stream().map(event -> BatchOutcome.done()).toList();
        });
        write("1", "a");
        write("2", "b");

        outbox.deliverDue();
        write("3", "c");
        outbox.deliverDue();

        assertThat(seen)
                .containsExactly(
                        "before 1 in a",
                        "before 2 in b",
                        "listen 1 in null",
                        "listen 2 in null",
                        "after 1 in a",
                        "after 2 in b",
                        "before 3 in c",
                        "listen 3 in null",
                        "after 3 in c");
        assertThat(leaks).isEmpty();
    }

    @Test
    void aHeaderThatTheEventHasIsNotReplaced() {
        listeners.register(TYPE, event -> {
            note("listen", event);
            return DispatchResult.done();
        });
        request.set("a");
        outbox.inTransaction(() -> outbox.writer()
                .write(outbox.event(TYPE).payloadJson("1").header(HEADER, "own").build()));
        request.remove();

        outbox.deliverDue();

        assertThat(seen).contains("listen 1 in own");
    }

    @Test
    void nothingLeaksBetweenManyEventsAndWorkers() throws Exception {
        int count = 400;
        Queue<String> wrong = new ConcurrentLinkedQueue<>();
        CountDownLatch delivered = new CountDownLatch(count);
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        EventListener checking = EventListener.informed((event, info) -> {
            if (!event.payloadJson().equals(request.get())) {
                wrong.add(event.payloadJson() + " in " + request.get());
            }
            if (!info.isRetry() && event.payloadJson().endsWith("3")) {
                throw new IOException("once");
            }
            delivered.countDown();
            return DispatchResult.done();
        });
        try (Outbox threaded = Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, checking))
                .retryPolicy(attempts -> 1)
                .contextPropagator(new Requests())
                .build()) {
            for (int i = 0; i < count; i++) {
                request.set(String.valueOf(i));
                backend.inTransaction(() -> threaded.writer().write(TYPE, request.get()));
            }

            assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            request.remove();
        }

        assertThat(wrong).isEmpty();
        assertThat(leaks).isEmpty();
    }

    @Test
    void aWriterThatIsPutTogetherByHandCapturesByTheDispatchersHook() throws Exception {
        InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
        CountDownLatch delivered = new CountDownLatch(1);
        Queue<String> contexts = new ConcurrentLinkedQueue<>();
        EventListener listener = event -> {
            contexts.add(String.valueOf(request.get()));
            delivered.countDown();
            return DispatchResult.done();
        };
        try (OutboxDispatcher dispatcher = OutboxDispatcher.builder()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, listener))
                .contextPropagator(new Requests())
                .build()) {
            DefaultOutboxWriter writer = new DefaultOutboxWriter(backend, new DispatcherWriterHook(dispatcher));
            request.set("by hand");
            backend.inTransaction(() -> writer.write(TYPE, "{}"));

            assertThat(delivered.await(30, TimeUnit.SECONDS)).isTrue();
        } finally {
            request.remove();
        }

        assertThat(contexts).containsExactly("by hand");
    }

    @Test
    void aPropagatorThatFailsHarmsNoEvent() {
        ContextPropagator failing = new ContextPropagator() {
            @Override
            public Map<String, String> capture() {
                throw new IllegalStateException("capture");
            }

            @Override
            public Scope restore(Map<String, String> headers) {
                throw new IllegalStateException("restore");
            }
        };
        listeners.register(TYPE, event -> {
            note("listen", event);
            return DispatchResult.done();
        });
        try (ManualOutbox careless = ManualOutbox.create(
                listeners, settings -> settings.contextPropagator(failing).contextPropagator(new Requests()))) {
            request.set("a");
            careless.inTransaction(() -> careless.writer().write(TYPE, "1"));
            request.remove();

            assertThat(careless.deliverDue()).isOne();
        }

        assertThat(seen).containsExactly("listen 1 in a");
    }
}
