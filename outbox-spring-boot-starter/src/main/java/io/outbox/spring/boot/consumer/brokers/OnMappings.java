package io.outbox.spring.boot.consumer.brokers;

import io.outbox.spring.boot.consumer.ConsumerKeys;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Matches if the application says which classes the payloads of events have. */
final class OnMappings extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        ConditionMessage.Builder message = ConditionMessage.forCondition("Event types mapped to classes");
        return new ExplicitSettings(context.getEnvironment()).hasAnyBelow(ConsumerKeys.MAPPINGS)
                ? ConditionOutcome.match(message.found("setting").items(ConsumerKeys.MAPPINGS))
                : ConditionOutcome.noMatch(message.didNotFind("setting").items(ConsumerKeys.MAPPINGS));
    }
}
