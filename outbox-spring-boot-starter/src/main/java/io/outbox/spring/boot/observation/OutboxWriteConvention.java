package io.outbox.spring.boot.observation;

import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;

/**
 * Names the observation of a write, {@code outbox.write} by default, and its key values. A bean of this type replaces
 * the default; what it does not override stays.
 */
public interface OutboxWriteConvention extends ObservationConvention<OutboxWriteContext> {

    /** The default. */
    OutboxWriteConvention DEFAULT = new OutboxWriteConvention() {};

    /** Returns a convention with the names that OpenTelemetry has for messaging. */
    static OutboxWriteConvention openTelemetry() {
        return new OpenTelemetryNames.Write();
    }

    @Override
    default boolean supportsContext(Observation.Context context) {
        return context instanceof OutboxWriteContext;
    }

    @Override
    default String getName() {
        return "outbox.write";
    }

    @Override
    default String getContextualName(OutboxWriteContext context) {
        return context.events().get(0).eventType() + " write";
    }

    @Override
    default KeyValues getLowCardinalityKeyValues(OutboxWriteContext context) {
        return KeyValues.of("outbox.event.type", context.events().get(0).eventType());
    }

    @Override
    default KeyValues getHighCardinalityKeyValues(OutboxWriteContext context) {
        return KeyValues.of("outbox.batch.size", String.valueOf(context.events().size()));
    }
}
