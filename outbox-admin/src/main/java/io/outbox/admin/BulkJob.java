package io.outbox.admin;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * An action on all events that match a filter, and how far it is. Immutable.
 *
 * @param owner the node that has it in hand, or {@code null}
 * @param isCancelled whether somebody wants it to end
 */
record BulkJob(Order order, State state, Progress progress, Owner owner, boolean isCancelled, Instant finishedAt) {

    /** What has become of it. */
    enum State {
        QUEUED,
        RUNNING,
        PAUSED,
        DONE,
        CANCELLED,
        FAILED
    }

    /**
     * What is to be done, to what, and who has ordered it.
     *
     * @param perSecond to how many events in a second at most, or {@code null} for as many as can be
     */
    record Order(
            String id,
            Action action,
            Map<String, Object> filter,
            Integer perSecond,
            long expected,
            boolean expectedExact,
            String by,
            Instant createdAt) {

        /** Returns what the audit log has in all its entries of this. */
        String detail() {
            return id + " " + Json.text(filter);
        }
    }

    /** How far it is; the cursor is {@code null} at the start. */
    record Progress(long done, long skipped, String cursor) {

        private static final Progress NONE = new Progress(0, 0, null);

        private Progress plus(Action.Done batch, String next) {
            return new Progress(done + batch.count(), skipped + batch.skipped().size(), next);
        }
    }

    /** The node that has it in hand, with an id of its own for each time that it takes the job. */
    record Owner(String id, String name) {}

    static BulkJob of(Order order) {
        return new BulkJob(order, State.QUEUED, Progress.NONE, null, false, null);
    }

    boolean isOver() {
        return finishedAt != null;
    }

    BulkJob takenBy(Owner node) {
        return new BulkJob(order, isPaused() ? state : State.RUNNING, progress, node, isCancelled, null);
    }

    boolean isPaused() {
        return state == State.PAUSED;
    }

    /** Returns the job as nobody goes on with it until it is resumed; its node may still save what it has just done. */
    BulkJob paused() {
        return new BulkJob(order, State.PAUSED, progress, owner, isCancelled, null);
    }

    /** Returns the job as no node has it any more; one that is paused stays so. */
    BulkJob released() {
        return new BulkJob(order, isPaused() ? state : State.QUEUED, progress, null, isCancelled, null);
    }

    BulkJob resumed() {
        return new BulkJob(order, State.QUEUED, progress, null, isCancelled, null);
    }

    BulkJob at(Progress reached) {
        return new BulkJob(order, state, reached, owner, isCancelled, null);
    }

    /**
     * Returns this job with what a batch did that began when the job was as given. Who paused and resumed it during the
     * batch has released it: then the node takes it back. If another node has it by now, only the numbers are added.
     */
    BulkJob after(BulkJob begun, Action.Done batch, String next) {
        boolean isOurs = begun.owner.equals(owner);
        boolean isReleased = owner == null && Objects.equals(progress.cursor, begun.progress.cursor);
        BulkJob job = isReleased ? takenBy(begun.owner) : this;
        return job.at(progress.plus(batch, isOurs || isReleased ? next : progress.cursor));
    }

    BulkJob cancelled() {
        return new BulkJob(order, state, progress, owner, true, null);
    }

    BulkJob ended(State end, Instant now) {
        return new BulkJob(order, end, progress, owner, isCancelled, now);
    }

    /** Returns the job for the store. */
    String json() {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("action", order.action);
        fields.put("filter", order.filter);
        fields.put("perSecond", order.perSecond);
        fields.put("expected", order.expected);
        fields.put("exact", order.expectedExact);
        fields.put("by", order.by);
        fields.put("createdAt", order.createdAt);
        fields.put("state", state);
        fields.put("done", progress.done);
        fields.put("skipped", progress.skipped);
        fields.put("cursor", progress.cursor);
        fields.put("ownerId", owner == null ? null : owner.id);
        fields.put("owner", owner == null ? null : owner.name);
        fields.put("cancelled", isCancelled);
        fields.put("finishedAt", finishedAt);
        return Json.text(fields);
    }

    /**
     * Reads what {@link #json()} wrote.
     *
     * @throws IllegalArgumentException if it is something else, perhaps of another version
     */
    static BulkJob parse(String id, String json) {
        try {
            Map<String, Object> fields = Json.object(json.getBytes(StandardCharsets.UTF_8));
            Map<String, Object> filter = new LinkedHashMap<>();
            ((Map<?, ?>) fields.get("filter")).forEach((name, value) -> filter.put((String) name, value));
            String ownerId = (String) fields.get("ownerId");
            return new BulkJob(
                    new Order(
                            id,
                            Exchange.choice("action", fields.get("action"), Action.class),
                            filter,
                            fields.get("perSecond") == null ? null : (int) number(fields.get("perSecond")),
                            number(fields.get("expected")),
                            Boolean.TRUE.equals(fields.get("exact")),
                            (String) fields.get("by"),
                            time(fields.get("createdAt"))),
                    Exchange.choice("state", fields.get("state"), State.class),
                    new Progress(
                            number(fields.get("done")), number(fields.get("skipped")), (String) fields.get("cursor")),
                    ownerId == null ? null : new Owner(ownerId, (String) fields.get("owner")),
                    Boolean.TRUE.equals(fields.get("cancelled")),
                    time(fields.get("finishedAt")));
        } catch (Problem | ClassCastException | NullPointerException | DateTimeParseException e) {
            throw new IllegalArgumentException("The record of bulk action " + id + " cannot be read", e);
        }
    }

    private static long number(Object value) {
        return ((Number) value).longValue();
    }

    private static Instant time(Object value) {
        return value == null ? null : Instant.parse((String) value);
    }

    Views.BulkAction view() {
        return new Views.BulkAction(
                order.id,
                order.action,
                state,
                order.by,
                owner == null ? null : owner.name,
                isCancelled && !isOver(),
                order.expected,
                order.expectedExact,
                progress.done,
                progress.skipped,
                order.perSecond,
                order.createdAt,
                finishedAt);
    }
}
