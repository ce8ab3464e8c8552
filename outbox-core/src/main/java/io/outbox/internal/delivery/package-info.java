/**
 * How events reach their listeners: lanes with queues and workers, and the two ways into them, hot and cold. Begin with
 * {@link io.outbox.internal.delivery.DeliveryEngine}.
 */
package io.outbox.internal.delivery;
