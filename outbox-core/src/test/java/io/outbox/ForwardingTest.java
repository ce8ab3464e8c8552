package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ForwardingBackend;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bases of decorators forward every method of what they decorate; a new one of an interface fails here until they do.
 */
class ForwardingTest {

    private static final EventEnvelope EVENT = EventEnvelope.ofJson("T", "{}");

    private static final Map<Class<?>, Object> VALUES = Map.of(
            int.class,
            7,
            long.class,
            8L,
            boolean.class,
            true,
            String.class,
            "text",
            List.class,
            List.of(EVENT),
            EventEnvelope.class,
            EVENT,
            DeliveryInfo.class,
            DeliveryInfo.first(EVENT),
            Consumer.class,
            (Consumer<Object>) ignored -> {});

    private record Call(String method, List<Object> arguments) {
        Call(Method method, Object[] arguments) {
            this(method.getName(), arguments == null ? List.of() : Arrays.asList(arguments));
        }
    }

    private static final class Listener extends ForwardingListener {
        Listener(EventListener listener) {
            super(listener);
        }
    }

    private static final class Batches extends ForwardingBatchListener {
        Batches(BatchEventListener listener) {
            super(listener);
        }
    }

    private static final class Registry extends ForwardingRegistry {
        Registry(ListenerRegistry listeners) {
            super(listeners);
        }
    }

    private static final class Metrics extends ForwardingMetrics {
        Metrics(MetricsExporter exporter) {
            super(exporter);
        }
    }

    private static final class Backend extends ForwardingBackend {
        Backend(OutboxBackend backend) {
            super(backend, backend, backend);
        }
    }

    static Stream<Arguments> methods() {
        return Stream.of(
                        methods(EventListener.Informed.class, Listener::new),
                        methods(BatchEventListener.Waiting.class, Batches::new),
                        methods(ListenerRegistry.class, Registry::new),
                        methods(MetricsExporter.class, Metrics::new),
                        methods(OutboxBackend.class, Backend::new))
                .flatMap(methods -> methods);
    }

    private static <T> Stream<Arguments> methods(Class<T> type, Function<T, T> decorator) {
        return Arrays.stream(type.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !method.getName().equals("supports"))
                .map(method -> Arguments.of(type, method, decorator));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("methods")
    <T> void everyMethodReachesWhatIsDecorated(Class<T> type, Method method, Function<T, T> decorator)
            throws Exception {
        List<Call> calls = new ArrayList<>();
        T decorated = type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, called, arguments) -> {
                    calls.add(new Call(called, arguments));
                    return called.getName().equals("onEvents")
                            ? List.of(BatchOutcome.done())
                            : VALUES.get(called.getReturnType());
                }));
        Object[] arguments =
                Arrays.stream(method.getParameterTypes()).map(VALUES::get).toArray();

        Object returned = method.invoke(decorator.apply(decorated), arguments);

        assertThat(calls).singleElement().satisfies(call -> {
            if (method.getName().startsWith("onEvent")) {
                assertThat(call.method).isEqualTo(type == EventListener.Informed.class ? "onEvent" : "onEvents");
                assertThat(call.arguments).hasSize(type == EventListener.Informed.class ? 2 : 3);
            } else {
                assertThat(call).isEqualTo(new Call(method, arguments));
                assertThat(returned).isEqualTo(VALUES.get(method.getReturnType()));
            }
        });
    }

    @Test
    void whatIsDecoratedMustBeGiven() {
        assertThatNullPointerException().isThrownBy(() -> new Listener(null)).withMessage("listener");
        assertThatNullPointerException().isThrownBy(() -> new Batches(null)).withMessage("listener");
        assertThatNullPointerException().isThrownBy(() -> new Metrics(null)).withMessage("exporter");
    }
}
