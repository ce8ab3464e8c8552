package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Method;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutboxBackendTest {

    @ParameterizedTest
    @ValueSource(classes = {WriteBackend.class, DeliveryBackend.class, HousekeepingBackend.class, OutboxBackend.class})
    void hasNothingThatAnEngineCouldForget(Class<?> part) {
        assertThat(Arrays.stream(part.getDeclaredMethods())
                        .filter(Method::isDefault)
                        .map(Method::getName))
                .as("defaults, which would quietly do less")
                .isSubsetOf("supports");
    }

    @ParameterizedTest
    @ValueSource(classes = {OwnershipStore.class})
    void hasNothingThatAStoreCouldForget(Class<?> store) {
        assertThat(store.getDeclaredMethods()).noneMatch(Method::isDefault);
    }
}
