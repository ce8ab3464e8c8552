package io.outbox.spring.boot.observation;

import io.micrometer.common.KeyValues;
import io.outbox.EventEnvelope;

/** The names of OpenTelemetry's semantic conventions for messaging, with the event type as the destination. */
final class OpenTelemetryNames {

    private OpenTelemetryNames() {}

    private static KeyValues operation(String name, String type, EventEnvelope event) {
        return KeyValues.of(
                "messaging.system",
                "outbox",
                "messaging.operation.name",
                name,
                "messaging.operation.type",
                type,
                "messaging.destination.name",
                event.eventType());
    }

    static final class Write implements OutboxWriteConvention {

        @Override
        public String getName() {
            return "messaging.client.operation.duration";
        }

        @Override
        public String getContextualName(OutboxWriteContext context) {
            return "write " + context.events().get(0).eventType();
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxWriteContext context) {
            return operation("write", "create", context.events().get(0));
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(OutboxWriteContext context) {
            return KeyValues.of(
                    "messaging.batch.message_count",
                    String.valueOf(context.events().size()));
        }
    }

    static final class Process implements OutboxProcessConvention {

        @Override
        public String getName() {
            return "messaging.process.duration";
        }

        @Override
        public String getContextualName(OutboxProcessContext context) {
            return "process " + context.event().eventType();
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(OutboxProcessContext context) {
            return operation("process", "process", context.event());
        }

        @Override
        public KeyValues getHighCardinalityKeyValues(OutboxProcessContext context) {
            return KeyValues.of("messaging.message.id", context.event().eventId());
        }
    }
}
