package io.outbox;

import java.util.Map;
import java.util.Set;

/**
 * What became of an operator's change of events that wait: each event stands for itself, so some may be changed and
 * others not.
 *
 * @param changed the events that are as asked for
 * @param held the events that were left alone because a node has them in hand, and which; {@link #IN_A_TRANSACTION} if
 * an open
 *     transaction has locked the row
 * @param ended the events that wait no more, as they are DONE or DEAD
 * @param missing the ids of which there is no event
 */
public record WaitingChange(Set<String> changed, Map<String, String> held, Set<String> ended, Set<String> missing) {

    /** Stands for a node that has no name: the one that was asked, which is alone. */
    public static final String THIS_NODE = "this node";

    /** Stands for a node that has just started to hold the event, so that its name is not known. */
    public static final String ANOTHER_NODE = "another node";

    /** Stands for an open transaction that keeps the row locked. */
    public static final String IN_A_TRANSACTION = "an open transaction";

    public WaitingChange {
        changed = Set.copyOf(changed);
        held = Map.copyOf(held);
        ended = Set.copyOf(ended);
        missing = Set.copyOf(missing);
    }

    /** Returns whether all events are as asked for. */
    public boolean isMade() {
        return held.isEmpty() && ended.isEmpty() && missing.isEmpty();
    }
}
