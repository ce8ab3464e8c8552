package io.outbox.spring.boot.modulith;

import io.outbox.EventType;
import io.outbox.OutboxPublisher;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.OutboxPublisherProperties;
import java.util.Optional;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListener;
import org.springframework.core.ResolvableType;
import org.springframework.expression.EvaluationContext;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.EventExternalized;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.modulith.events.support.BrokerRouting;
import org.springframework.util.ClassUtils;

/**
 * Writes the events that Spring Modulith externalizes to the outbox, on the publishing thread and so in its
 * transaction. They wait for Modulith's transports as they were published: mapping and routing follow at delivery,
 * where a failure can be retried. Event types that the application has below {@code outbox.publisher.events} go to the
 * outbox's own senders instead, in the form that is sent.
 */
final class ExternalizedEvents implements GenericApplicationListener {

    private final ObjectProvider<EventExternalizationConfiguration> configuration;
    private final ObjectProvider<OutboxPublisher> publisher;
    private final ObjectProvider<OutboxPublisherProperties> settings;
    private final ToTransports transports;
    private final EvaluationContext expressions;

    /** @param expressions where expressions in targets and keys find beans */
    ExternalizedEvents(
            ObjectProvider<EventExternalizationConfiguration> configuration,
            ObjectProvider<OutboxPublisher> publisher,
            ObjectProvider<OutboxPublisherProperties> settings,
            ToTransports transports,
            EvaluationContext expressions) {
        this.configuration = configuration;
        this.publisher = publisher;
        this.settings = settings;
        this.transports = transports;
        this.expressions = expressions;
    }

    @Override
    public boolean supportsEventType(ResolvableType eventType) {
        Class<?> type = eventType.toClass();
        return PayloadApplicationEvent.class.isAssignableFrom(type)
                || type.isAssignableFrom(PayloadApplicationEvent.class);
    }

    @Override
    public boolean supportsAsyncExecution() {
        return false;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE;
    }

    @Override
    public void onApplicationEvent(ApplicationEvent event) {
        if (event instanceof PayloadApplicationEvent<?> published
                && !(published.getPayload() instanceof EventExternalized)) {
            record(published.getPayload());
        }
    }

    private void record(Object event) {
        EventExternalizationConfiguration externalization = configuration.getObject();
        if (!externalization.supports(event)) {
            return;
        }
        String eventType = EventType.nameOf(ClassUtils.getUserClass(event));
        senderOf(eventType)
                .ifPresentOrElse(
                        sender -> publish(eventType, sender, event, externalization),
                        () -> transports.write(eventType, event));
    }

    private Optional<OutboxEventProperties> senderOf(String eventType) {
        OutboxPublisherProperties own = settings.getObject();
        return Optional.ofNullable(own.enabled() ? own.events().get(eventType) : null);
    }

    private void publish(
            String eventType,
            OutboxEventProperties sender,
            Object event,
            EventExternalizationConfiguration externalization) {
        RoutingTarget target = externalization.determineTarget(event);
        BrokerRouting routing = BrokerRouting.of(target, expressions);
        OutboxPublisher.Draft draft = publisher.getObject().event(eventType);
        externalization
                .getHeadersFor(event)
                .forEach((name, value) -> draft.header(name, value == null ? null : value.toString()));
        if (target.getKey() != null) {
            draft.key(routing.getKey(event));
        }
        if (sender.topic() == null) {
            draft.header(ModulithRouter.TARGET, routing.getTarget(event));
        }
        draft.publish(externalization.map(event));
    }
}
