/**
 * Threads: {@link io.outbox.util.DaemonThreadFactory}.
 */
@NullMarked
package io.outbox.util;

import org.jspecify.annotations.NullMarked;
