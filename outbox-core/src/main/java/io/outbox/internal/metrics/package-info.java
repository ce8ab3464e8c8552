/**
 * What the engine reports to the application's metrics; {@link io.outbox.internal.metrics.EngineMetrics} is the door.
 */
package io.outbox.internal.metrics;
