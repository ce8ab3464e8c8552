package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.EventEnvelope;
import io.outbox.internal.store.StoreBackend;
import io.outbox.support.CountedConnections;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ForwardingOwnershipStoreTest {

    private static final Map<Class<?>, Object> ZEROS = Map.of(int.class, 0, long.class, 0L, boolean.class, false);

    private final List<Method> forwarded = new ArrayList<>();
    private Set<String> inserted;
    private final OwnershipStore store = (OwnershipStore) Proxy.newProxyInstance(
            getClass().getClassLoader(), new Class<?>[] {OwnershipStore.class}, (proxy, method, args) -> {
                forwarded.add(method);
                return method.getName().equals("insert") ? inserted : ZEROS.get(method.getReturnType());
            });

    private static final class Plain extends ForwardingOwnershipStore {
        Plain(OwnershipStore delegate) {
            super(delegate);
        }
    }

    static Stream<Method> methods() {
        return Arrays.stream(OwnershipStore.class.getMethods())
                .filter(method -> !Modifier.isStatic(method.getModifiers()))
                .filter(method -> !method.getName().equals("write"));
    }

    @ParameterizedTest
    @MethodSource("methods")
    void leavesEveryMethodToTheOtherStore(Method method) throws Exception {
        Object[] args =
                Arrays.stream(method.getParameterTypes()).map(ZEROS::get).toArray();

        method.invoke(new Plain(store), args);

        assertThat(forwarded).singleElement().satisfies(call -> {
            assertThat(call.getName()).isEqualTo(method.getName());
            assertThat(call.getParameterTypes()).isEqualTo(method.getParameterTypes());
        });
    }

    @Test
    void writesThroughTheMethodsThatADecoratorMayHaveOverridden() {
        EventEnvelope event = EventEnvelope.ofJson("Placed", "{}");
        NewEvent unowned = NewEvent.unowned(event);
        Plain decorator = new Plain(store);

        assertThat(decorator.write(null, List.of(unowned))).isEqualTo(new Insertion(Set.of(), true));
        assertThat(decorator.write(null, List.of(unowned, unowned)).revocable()).isTrue();
        inserted = Set.of(event.eventId());
        assertThat(decorator.write(null, List.of(unowned, new NewEvent(event, "node"))))
                .isEqualTo(new Insertion(inserted, true));

        assertThat(forwarded).extracting(Method::getName).containsExactly("insertNew", "insertBatch", "insert");
    }

    @Test
    void canDoEverythingThatItsStoreCan() {
        DeliveryBackend backend = StoreBackend.forDelivery(new CountedConnections(), new Plain(store));

        assertThat(backend.capabilities()).containsExactlyInAnyOrder(Capability.values());
    }

    @Test
    void needsAStore() {
        assertThatNullPointerException().isThrownBy(() -> new Plain(null)).withMessageContaining("delegate");
    }
}
