package io.outbox.model;

import java.time.Instant;

/**
 * What an operator has done, or tried to.
 *
 * @param id names the entry; later entries have greater ids
 * @param at when
 * @param who the operator
 * @param action what, in a word
 * @param target to what: an event id, an event type, or a number of events
 * @param detail what else is to be known, or {@code null}
 */
public record AuditEntry(String id, Instant at, String who, String action, String target, String detail) {}
