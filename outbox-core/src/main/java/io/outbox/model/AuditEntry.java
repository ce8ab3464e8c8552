package io.outbox.model;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What an operator has done, or tried to.
 *
 * @param id names the entry; later entries have greater ids
 * @param at when
 * @param who the operator
 * @param action what, in a word
 * @param target to what: an event id, an event type, or a number of events
 * @param detail what else is to be known, if anything
 */
public record AuditEntry(
        String id,
        Instant at,
        String who,
        String action,
        String target,
        @Nullable String detail) {}
