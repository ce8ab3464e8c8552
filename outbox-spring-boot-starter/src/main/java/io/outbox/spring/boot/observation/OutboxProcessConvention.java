package io.outbox.spring.boot.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.outbox.AggregateType;

/**
 * Names the observation of a delivery, {@code outbox.process} by default, and its key values. A bean of this type
 * replaces the default; what it does not override stays.
 */
public interface OutboxProcessConvention extends ObservationConvention<OutboxProcessContext> {

    /** The default. */
    OutboxProcessConvention DEFAULT = new OutboxProcessConvention() {};

    /** Returns a convention with the names that OpenTelemetry has for messaging. */
    static OutboxProcessConvention openTelemetry() {
        return new OpenTelemetryNames.Process();
    }

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxProcessContext;
    }

    @Override
    default String getName() {
        return "outbox.process";
    }

    @Override
    default String getContextualName(OutboxProcessContext context) {
        return context.event().eventType() + " process";
    }

    /** An event of no aggregate has the key too, since all meters of a name must have the same ones. */
    @Override
    default KeyValues getLowCardinalityKeyValues(OutboxProcessContext context) {
        String aggregateType = context.event().aggregateType();
        return KeyValues.of(
                "outbox.event.type",
                context.event().eventType(),
                "outbox.aggregate.type",
                AggregateType.GLOBAL.name().equals(aggregateType) ? "none" : aggregateType);
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(OutboxProcessContext context) {
        return KeyValues.of("outbox.event.id", context.event().eventId());
    }
}
