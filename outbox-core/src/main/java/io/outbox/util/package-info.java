/**
 * Threads: {@link io.outbox.util.DaemonThreadFactory}.
 */
package io.outbox.util;
