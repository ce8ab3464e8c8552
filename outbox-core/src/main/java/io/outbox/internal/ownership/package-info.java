/**
 * Who may deliver an event: the holds of this node and their life. Begin with
 * {@link io.outbox.internal.ownership.OwnedEvents}, whose essay explains the protocol.
 */
package io.outbox.internal.ownership;
