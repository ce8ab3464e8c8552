package io.outbox.spring.boot;

import io.outbox.Outbox;

/**
 * A bean that has the last word on how an outbox is built: called with the builder of each outbox after the settings
 * and the application's other beans have been applied, in the order of the beans.
 */
@FunctionalInterface
public interface OutboxCustomizer {

    /** Changes what the builder has; it is built by the caller. */
    void customize(Outbox.AbstractBuilder<?> builder);
}
