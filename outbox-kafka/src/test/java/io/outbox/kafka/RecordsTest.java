package io.outbox.kafka;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.RecoverableException;
import org.junit.jupiter.api.Test;

/** Records without a broker. */
class RecordsTest {

    @Test
    void aRouterThatReturnsNoRouteLeavesTheTopicOpen() {
        Records records = new Records(event -> null);

        assertThatThrownBy(() -> records.of(EventEnvelope.ofJson("OrderPlaced", "{}")))
                .isInstanceOf(RecoverableException.class)
                .hasMessage("no topic is configured for event type OrderPlaced");
    }
}
