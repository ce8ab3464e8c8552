/**
 * The rules of the storage seam as tests, for authors of storage engines. Begin with
 * {@link io.outbox.testing.contract.OutboxBackendContract}.
 */
package io.outbox.testing.contract;
