/** Metrics of the outbox for Micrometer. */
package io.outbox.micrometer;
