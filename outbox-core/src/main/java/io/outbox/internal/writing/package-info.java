/**
 * What a writer asks of delivery: to reserve events before they are written. See {@link
 * io.outbox.internal.writing.HotPath}.
 */
package io.outbox.internal.writing;
