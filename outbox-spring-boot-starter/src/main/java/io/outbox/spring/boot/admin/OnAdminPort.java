package io.outbox.spring.boot.admin;

import java.util.Arrays;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Decides by which server the administration is served. */
final class OnAdminPort extends SpringBootCondition {

    @Override
    public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
        AdminPort[] wanted =
                metadata.getAnnotations().get(ConditionalOnAdminPort.class).getEnumArray("value", AdminPort.class);
        AdminPort port = AdminPort.of(context.getEnvironment());
        return new ConditionOutcome(
                Arrays.asList(wanted).contains(port),
                ConditionMessage.forCondition(ConditionalOnAdminPort.class)
                        .because("the administration is served by " + port));
    }
}
