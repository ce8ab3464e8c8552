/** How things end: once, and in bounded time. See {@link io.outbox.internal.lifecycle.Ending}. */
package io.outbox.internal.lifecycle;
