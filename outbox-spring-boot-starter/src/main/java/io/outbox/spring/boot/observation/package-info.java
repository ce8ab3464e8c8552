/**
 * Writes and deliveries as observations, and so as spans of a trace. Begin with {@link
 * io.outbox.spring.boot.observation.OutboxObservationAutoConfiguration}.
 */
package io.outbox.spring.boot.observation;
