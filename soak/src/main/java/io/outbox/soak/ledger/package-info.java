/**
 * What nodes did, in files outside of the database: begin with {@link io.outbox.soak.ledger.Ledger}, which a node
 * appends to, and {@link io.outbox.soak.ledger.History}, which the ledgers of all nodes add up to.
 */
package io.outbox.soak.ledger;
