package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.WaitingChange;
import io.outbox.WaitingEvents;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What operators do with events that wait; a change that is not made is a {@link Problem}. */
final class WaitingOperations {

    private static final String MISSING = "There is no such event";
    private static final String ENDED = "The event no longer waits: it was delivered, or is dead";

    private final Outbox outbox;

    WaitingOperations(Outbox outbox) {
        this.outbox = outbox;
    }

    /** What became of a change. */
    record Result(int asked, WaitingChange change) {

        void requireMade() {
            if (!change.missing().isEmpty()) {
                throw Problem.missing(List.copyOf(change.missing()));
            }
            if (!change.ended().isEmpty()) {
                throw Problem.conflict("not-waiting", ENDED);
            }
            change.held().values().stream().findFirst().ifPresent(holder -> {
                throw Problem.conflict("in-hand", inHand(holder));
            });
        }

        Action.Done done() {
            Map<String, String> skipped = new TreeMap<>();
            change.missing().forEach(id -> skipped.put(id, MISSING));
            change.ended().forEach(id -> skipped.put(id, ENDED));
            change.held().forEach((id, holder) -> skipped.put(id, inHand(holder)));
            return new Action.Done(asked - skipped.size(), skipped);
        }

        private static String inHand(String holder) {
            return "Not changed: " + holder
                    + " is working on the event. Try again when it has returned it, or release it if"
                    + " that node is gone";
        }
    }

    Result retry(List<String> ids) {
        return new Result(ids.size(), events().retryNow(ids));
    }

    Result cancel(List<String> ids, Caller caller) {
        return new Result(ids.size(), events().cancel(ids, caller.name()));
    }

    /** Returns whether this node delivers: one that only writes does not know what is in delivery. */
    boolean isPossible() {
        return outbox.sharedLane().isPresent();
    }

    WaitingEvents events() {
        if (!isPossible()) {
            throw Problem.conflict(
                    "only-writes",
                    "This node only writes, so it does not know what is in delivery: ask one that delivers");
        }
        return outbox.waiting();
    }
}
