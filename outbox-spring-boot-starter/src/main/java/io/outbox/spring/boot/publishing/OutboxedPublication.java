package io.outbox.spring.boot.publishing;

import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.Outboxed;
import java.util.function.UnaryOperator;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/** How objects of one class with {@link Outboxed} become events. Checked when it is made; thread-safe. */
final class OutboxedPublication {

    private final DraftTexts texts;
    private final AttributeExpression eventType;

    OutboxedPublication(Class<?> type, Outboxed annotation, UnaryOperator<String> placeholders) {
        this.texts = new DraftTexts("@Outboxed on " + type.getName(), placeholders);
        this.eventType = texts.parsed("type", annotation.type().isEmpty() ? type.getSimpleName() : annotation.type());
        texts.aggregate(annotation.aggregateType(), annotation.aggregateId())
                .key(annotation.key())
                .tenant(annotation.tenant())
                .headers(annotation.headers())
                .delay(annotation.delay());
    }

    /** Begins the event of an object, with all but its payload. */
    OutboxPublisher.Draft draft(Object payload, OutboxPublisher publisher) {
        EvaluationContext context = SimpleEvaluationContext.forReadOnlyDataBinding()
                .withInstanceMethods()
                .build();
        OutboxPublisher.Draft draft = publisher.event(eventType.text(context, payload));
        texts.addTo(draft, context, payload);
        return draft;
    }
}
