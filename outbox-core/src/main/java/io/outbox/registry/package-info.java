/**
 * Which listener gets an event. Begin with {@link io.outbox.registry.DefaultListenerRegistry}.
 */
package io.outbox.registry;
