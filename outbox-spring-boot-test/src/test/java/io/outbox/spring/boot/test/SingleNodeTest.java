package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class SingleNodeTest extends OutboxTesterRules {

    @Test
    void thereIsAnEndToEventsThatAlwaysCauseOneMore() {
        orders.remind("forgotten 4711", Duration.ofHours(1));

        assertThatIllegalStateException()
                .isThrownBy(outbox::deliverAll)
                .withMessageContaining("does a listener write an event");
    }
}
