/**
 * Test support for applications: an outbox in memory that delivers by hand, and the storage engine behind it. Begin
 * with {@link io.outbox.testing.ManualOutbox}.
 */
package io.outbox.testing;
