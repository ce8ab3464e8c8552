package io.outbox.spi;

import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The answer to a change of dead letters, which is made to all of them or to none.
 *
 * @param changed the letters as they were before, without those that were as asked for already; empty if none could be
 *     changed
 * @param missing the ids of which there is no letter
 * @param refused the letters that are in a state which does not allow the change, and that state
 */
public record DeadLetterChange(List<DeadLetter> changed, Set<String> missing, Map<String, DlqStatus> refused) {

    public DeadLetterChange {
        changed = List.copyOf(changed);
        missing = Set.copyOf(missing);
        refused = Map.copyOf(refused);
    }

    /** Returns the answer to a change that was made. */
    public static DeadLetterChange made(List<DeadLetter> changed) {
        return new DeadLetterChange(changed, Set.of(), Map.of());
    }

    /** Returns the answer to a change that was not made. */
    public static DeadLetterChange notMade(Set<String> missing, Map<String, DlqStatus> refused) {
        return new DeadLetterChange(List.of(), missing, refused);
    }

    /** Returns whether all letters are as asked for. */
    public boolean isMade() {
        return missing.isEmpty() && refused.isEmpty();
    }
}
