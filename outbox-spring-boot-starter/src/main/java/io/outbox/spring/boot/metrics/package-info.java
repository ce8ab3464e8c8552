/**
 * Gauges of how many events there are. Begin with {@link io.outbox.spring.boot.metrics.OutboxGaugesAutoConfiguration}.
 */
package io.outbox.spring.boot.metrics;
