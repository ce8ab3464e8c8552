package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.store.StoreBackend;
import io.outbox.support.CountedConnections;
import io.outbox.support.FiveMethodStore;
import io.outbox.support.ManualTransaction;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxBackendTest {

    /** Asked of an engine only if its capabilities say that it can. */
    private static final List<String> REFUSED_ALOUD = List.of("prepareKeys", "lockKeys");

    private static final Map<Class<?>, Object> ZEROS = Map.of(int.class, 0, long.class, 0L, boolean.class, false);

    @ParameterizedTest
    @ValueSource(classes = {WriteBackend.class, HousekeepingBackend.class, OutboxBackend.class, OwnershipStore.class})
    void hasNothingThatAnEngineCouldForget(Class<?> part) {
        assertThat(part.getDeclaredMethods())
                .filteredOn(method -> !REFUSED_ALOUD.contains(method.getName()))
                .as("defaults, which would quietly do less")
                .noneMatch(Method::isDefault);
    }

    @Test
    void anEngineThatCannotKeepTheOrderOfKeysSaysSo() {
        FiveMethodStore store = new FiveMethodStore();
        WriteBackend plain = StoreBackend.forWriting(new ManualTransaction(store), store);

        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(plain::prepareKeys);
        assertThatExceptionOfType(UnsupportedOperationException.class).isThrownBy(() -> plain.lockKeys(List.of("key")));
    }

    static Stream<Method> defaultsOfDelivery() {
        return Arrays.stream(DeliveryBackend.class.getDeclaredMethods())
                .filter(Method::isDefault)
                .filter(method -> !List.of("supports", "doneAmong").contains(method.getName()));
    }

    /** A plain store leaves these as they are; the suites for engines find whoever forgets one. */
    @ParameterizedTest
    @MethodSource("defaultsOfDelivery")
    void whatAnEngineOfferedNotToDoIsRefusedAloud(Method method) {
        DeliveryBackend plain = StoreBackend.forDelivery(new CountedConnections(), new FiveMethodStore());

        assertThatExceptionOfType(InvocationTargetException.class)
                .isThrownBy(() -> method.invoke(plain, zeros(method)))
                .withCauseInstanceOf(UnsupportedOperationException.class)
                .havingCause()
                .withMessageContaining(FiveMethodStore.class.getName())
                .withMessageContaining("capabilities()");
    }

    private static Object[] zeros(Method method) {
        return Arrays.stream(method.getParameterTypes()).map(ZEROS::get).toArray();
    }

    private static final class Decorator extends ForwardingBackend {
        Decorator(OutboxBackend backend) {
            super(backend, backend, backend);
        }
    }

    static Stream<Method> operations() {
        return Arrays.stream(OutboxBackend.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !method.getName().equals("supports"));
    }

    @ParameterizedTest
    @MethodSource("operations")
    void aDecoratorForgetsNone(Method method) throws ReflectiveOperationException {
        List<Method> forwarded = new ArrayList<>();
        OutboxBackend backend = (OutboxBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxBackend.class}, (proxy, called, args) -> {
                    forwarded.add(called);
                    return ZEROS.get(called.getReturnType());
                });

        method.invoke(new Decorator(backend), zeros(method));

        assertThat(forwarded).singleElement().satisfies(called -> {
            assertThat(called.getName()).isEqualTo(method.getName());
            assertThat(called.getParameterTypes()).isEqualTo(method.getParameterTypes());
        });
    }

    @Test
    void whatAPlainStoreHasDoneIsUnknown() {
        DeliveryBackend plain = StoreBackend.forDelivery(new CountedConnections(), new FiveMethodStore());

        assertThat(plain.doneAmong(List.of("1"))).isEmpty();
    }
}
