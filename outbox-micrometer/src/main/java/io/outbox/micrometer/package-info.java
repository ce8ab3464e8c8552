/** Metrics of the outbox for Micrometer. */
@NullMarked
package io.outbox.micrometer;

import org.jspecify.annotations.NullMarked;
