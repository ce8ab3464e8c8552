/** How this node keeps its locks in a shared store: {@link io.outbox.internal.lease.LeaseKeeper}. */
package io.outbox.internal.lease;
