package io.outbox.spring.boot.modulith;

import io.outbox.EventEnvelope;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import org.jspecify.annotations.Nullable;

/**
 * Routes externalized events that the outbox sends itself to the target that Spring Modulith has found for them, unless
 * the settings of their type name a topic.
 */
final class ModulithRouter implements OutboxRouter {

    /** The header with the target. */
    static final String TARGET = "modulith_target";

    @Override
    public @Nullable OutboxRoute route(EventEnvelope event) {
        String target = event.headers().get(TARGET);
        return target == null
                ? null
                : OutboxRoute.builder().topic(target).routingKey(event.key()).build();
    }
}
