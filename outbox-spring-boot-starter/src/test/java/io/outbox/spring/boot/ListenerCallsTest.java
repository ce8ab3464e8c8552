package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.BatchOutcome;
import io.outbox.DeliveryInfo;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Whatever the starter puts around listeners and interceptors, they are called as they would be without it. */
class ListenerCallsTest {

    /** What calls told, one line each. */
    private static final List<String> CALLS = Collections.synchronizedList(new ArrayList<>());

    private static void note(String call) {
        boolean inTransaction = TransactionSynchronizationManager.isActualTransactionActive();
        CALLS.add(inTransaction ? call + " in a transaction" : call);
    }

    private static void awaitCalls(String... calls) {
        await().untilAsserted(() -> assertThat(CALLS).containsExactly(calls));
    }

    private static String describe(DeliveryInfo info) {
        return "attempt " + info.attempt() + " after " + info.lastError();
    }

    private static RetryPolicy atOnce(String name) {
        return attempts -> {
            note(name + " asked");
            return 0;
        };
    }

    @OutboxListener(eventType = "Single")
    static class Informed implements EventListener.Informed {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            throw new AssertionError("the outbox calls the other method");
        }

        @Override
        public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) {
            note(describe(info));
            if (info.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
            return DispatchResult.done();
        }

        @Override
        public RetryPolicy retryPolicy() {
            return atOnce("single");
        }
    }

    @OutboxListener(eventType = "Batch")
    static class InformedBatch implements BatchEventListener.Informed {
        @Override
        public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
            throw new AssertionError("the outbox calls the other method");
        }

        @Override
        public List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) {
            note(describe(infos.get(0)));
            return List.of(
                    infos.get(0).attempt() == 1
                            ? BatchOutcome.failed(new IllegalStateException("not yet"))
                            : BatchOutcome.done());
        }

        @Override
        public int maxBatchSize() {
            return 1;
        }

        @Override
        public RetryPolicy retryPolicy() {
            return atOnce("batch");
        }
    }

    static Stream<Named<ApplicationContextRunner>> applications() {
        return Stream.of(
                Named.of("as they are", PlainApplication.runner(Informed.class, InformedBatch.class)),
                Named.of("observed", TestApplication.runner(Informed.class, InformedBatch.class)));
    }

    @ParameterizedTest
    @MethodSource("applications")
    void listenersKnowTheirDeliveryAndSetTheirRetries(ApplicationContextRunner application) {
        CALLS.clear();
        application.run(context -> {
            write(context, "Single", "1");
            awaitCalls(
                    "attempt 1 after null", "single asked", "attempt 2 after java.lang.IllegalStateException: not yet");
            CALLS.clear();
            write(context, "Batch", "1");
            awaitCalls(
                    "attempt 1 after null", "batch asked", "attempt 2 after java.lang.IllegalStateException: not yet");
        });
    }

    @OutboxListener(eventType = "Placed")
    static class TransactionalMethod implements EventListener {
        @Override
        @Transactional
        public DispatchResult onEvent(EventEnvelope event) {
            note("listener");
            return DispatchResult.done();
        }
    }

    @OutboxListener(eventType = "Placed")
    @Transactional
    static class TransactionalClass implements EventListener {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
            note("listener");
            return DispatchResult.done();
        }
    }

    @OutboxListener(eventType = "Placed")
    static class TransactionalAndInformed extends Informed {
        @Override
        @Transactional
        public DispatchResult onEvent(EventEnvelope event, DeliveryInfo info) {
            assertThat(info.attempt()).isEqualTo(1);
            note("listener");
            return DispatchResult.done();
        }
    }

    @OutboxListener(eventType = "Placed")
    static class TransactionalBatch implements BatchEventListener {
        @Override
        @Transactional
        public List<BatchOutcome> onEvents(List<EventEnvelope> events) {
            note("listener");
            return List.of(BatchOutcome.done());
        }
    }

    @OutboxListener(eventType = "Placed")
    static class TransactionalInformedBatch extends InformedBatch {
        @Override
        @Transactional
        public List<BatchOutcome> onEvents(List<EventEnvelope> events, List<DeliveryInfo> infos) {
            assertThat(infos).extracting(DeliveryInfo::attempt).containsExactly(1);
            note("listener");
            return List.of(BatchOutcome.done());
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                TransactionalMethod.class,
                TransactionalClass.class,
                TransactionalAndInformed.class,
                TransactionalBatch.class,
                TransactionalInformedBatch.class
            })
    void listenersRunInTheirTransaction(Class<? extends EventListener> listener) {
        for (String classProxies : List.of("true", "false")) {
            CALLS.clear();
            TestApplication.runner(listener)
                    .withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                    .run(context -> {
                        assertThat(AopUtils.isAopProxy(context.getBean(EventListener.class)))
                                .isTrue();
                        write(context, "Placed", "1");
                        awaitCalls("listener in a transaction");
                    });
        }
    }

    static class TransactionalInterceptor implements EventInterceptor {
        @Override
        @Transactional
        public void beforeDispatch(EventEnvelope event) {
            note("before");
        }
    }

    static class TransactionalInformedInterceptor implements EventInterceptor.Informed {
        @Override
        @Transactional
        public void afterDispatch(EventEnvelope event, DeliveryInfo info, Exception error) {
            note("after attempt " + info.attempt());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"true", "false"})
    void interceptorsRunInTheirTransaction(String classProxies) {
        CALLS.clear();
        TestApplication.runner(TransactionalInterceptor.class, TransactionalInformedInterceptor.class, Deliveries.class)
                .withPropertyValues("spring.aop.proxy-target-class=" + classProxies)
                .run(context -> {
                    write(context, "Placed", "1");
                    awaitCalls("before in a transaction", "after attempt 1 in a transaction");
                });
    }
}
