/**
 * What is done to nodes and servers: {@link io.outbox.soak.fault.FaultKind} says what exists and what it excuses,
 * {@link io.outbox.soak.fault.Schedule} when it comes.
 */
package io.outbox.soak.fault;
