package io.outbox.spring.boot.internal.jdbc;

import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import io.outbox.spring.boot.internal.settings.OutboxKeys;
import io.outbox.spring.boot.internal.settings.PublisherKeys;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Met unless the application only consumes, and so has no outbox and needs no table for one. */
final class OnOutbox extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        boolean consumerOnly = new ExplicitSettings(context.getEnvironment()).isConsumerOnly();
        ConditionMessage.Builder message = ConditionMessage.forCondition("Outbox");
        return consumerOnly
                ? ConditionOutcome.noMatch(message.because(OutboxKeys.CONSUMER + " is true, "
                        + PublisherKeys.of("enabled") + " is false and there is no mode"))
                : ConditionOutcome.match(message.because("the application does not only consume"));
    }
}
