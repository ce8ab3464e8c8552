/**
 * Which listener gets an event. Begin with {@link io.outbox.registry.DefaultListenerRegistry}.
 */
@NullMarked
package io.outbox.registry;

import org.jspecify.annotations.NullMarked;
