package io.outbox.spring.boot.consumer.brokers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.UnmappedEventTypeException;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventPayloadsTest {

    private final EventPayloads payloads = new EventPayloads(
            Map.of("order.Placed", Integer.class, "order-placed", Integer.class), mock(JsonCodec.class));

    @Test
    void namesTheKeyOfAMissingMappingAsItHasToBeWritten() {
        assertThatThrownBy(() -> payloads.read("order.Paid", "{}", null))
                .isInstanceOf(UnmappedEventTypeException.class)
                .hasMessageEndingWith("Set outbox.consumer.mappings[order.Paid]");
        assertThatThrownBy(() -> payloads.read("order-paid", "{}", null))
                .isInstanceOf(UnmappedEventTypeException.class)
                .hasMessageEndingWith("Set outbox.consumer.mappings.order-paid");
    }

    @Test
    void namesTheKeyOfAMappingThatDoesNotFitAsItHasToBeWritten() {
        assertThatThrownBy(() -> payloads.read("order.Placed", "{}", Map.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("change outbox.consumer.mappings[order.Placed], or");
        assertThatThrownBy(() -> payloads.read("order-placed", "{}", Map.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("change outbox.consumer.mappings.order-placed, or");
    }
}
