package io.outbox.spi;

/**
 * A storage engine: the seam between delivery, which knows no database, and storage, which knows no queue, thread or
 * retry policy. Its three parts serve the writer, delivery and housekeeping. Thread-safe.
 *
 * <h2>Rules for every engine</h2>
 *
 * <ul>
 *   <li>Reads are bounded and oldest first. Pages follow each other by a cursor that only the engine understands.
 *   <li>Transitions are idempotent and guarded by status: a DONE or DEAD event is never touched by a late outcome, and
 *       each call reports what it changed.
 *   <li>The retry budget is evaluated in the store, at write time.
 *   <li>With an owner, an outcome counts only while that owner holds the event (fencing). Leases run on the store's
 *       clock.
 *   <li>What an engine cannot do is missing from its {@link #capabilities()}; it never quietly does less.
 *   <li>Failures are unchecked exceptions. One means that nothing is known about the call's effect, and that repeating it
 *       is safe, unless it is an {@link OutboxBackendException} that {@linkplain OutboxBackendException#isRefusal() says}
 *       that the values themselves were refused: then nothing was changed, and repeating it is pointless.
 * </ul>
 */
public interface OutboxBackend extends WriteBackend, DeliveryBackend, HousekeepingBackend {}
