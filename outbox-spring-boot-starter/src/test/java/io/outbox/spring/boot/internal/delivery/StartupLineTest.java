package io.outbox.spring.boot.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StartupLineTest {

    @Test
    void saysWhereEventsAre() {
        OutboxProperties properties = new OutboxProperties();
        assertThat(line(properties)).startsWith("Outbox in table outbox_event: mode single-node, ");

        assertThat(new StartupLine("orders", SettingsDecision.of(properties), new DefaultListenerRegistry(), Set.of())
                        .text(State.RUNNING))
                .startsWith("Outbox 'orders' in table outbox_event: mode single-node, ");

        properties.setBackend(OutboxProperties.Backend.REDIS);
        properties.getRedis().setName("shop");
        assertThat(line(properties)).startsWith("Outbox in Redis under the name shop: mode single-node, ");
    }

    private static String line(OutboxProperties properties) {
        return new StartupLine("", SettingsDecision.of(properties), new DefaultListenerRegistry(), Set.of())
                .text(State.RUNNING);
    }
}
