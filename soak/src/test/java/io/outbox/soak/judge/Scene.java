package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.ledger.Entry;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.Begun;
import io.outbox.soak.ledger.Entry.Ended;
import io.outbox.soak.ledger.Entry.Keyed;
import io.outbox.soak.ledger.Entry.Skipped;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.Entry.Writing;
import io.outbox.soak.ledger.Entry.Written;
import io.outbox.soak.ledger.EventKind;
import io.outbox.soak.ledger.History;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A hand-made run; times are in seconds since it began. */
final class Scene {

    static final Duration LEASE = Duration.ofSeconds(4);
    static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

    private static final double LISTENER_SECONDS = 0.1;

    private final Map<String, List<Entry>> ledgers = new LinkedHashMap<>();
    private final List<Row> table = new ArrayList<>();
    private final List<Row> locksLeft = new ArrayList<>();
    private final Map<String, Integer> messages = new LinkedHashMap<>();
    private final List<Fault> faults = new ArrayList<>();
    private long deliveries;

    /** Lets a node write an event whose transaction ends like this; it is not in the table yet. */
    Scene written(String node, String eventId, EventKind kind, TransactionEnd end) {
        return written(node, eventId, kind, end, 0);
    }

    /** Lets a node write an event that is due at a time. */
    Scene written(String node, String eventId, EventKind kind, TransactionEnd end, double due) {
        ledger(node).addAll(List.of(new Writing(eventId, kind, at(due)), new Written(eventId, end, START)));
        return this;
    }

    /** Lets a node begin a transaction of which nobody learns the end. */
    Scene writing(String node, String eventId) {
        ledger(node).add(new Writing(eventId, EventKind.PLAIN, START));
        return this;
    }

    /** Lets a node commit an event that is DONE in the end. */
    Scene committed(String node, String eventId) {
        return committed(node, eventId, 0);
    }

    Scene committed(String node, String eventId, double due) {
        return written(node, eventId, EventKind.PLAIN, TransactionEnd.COMMITTED, due)
                .row(eventId, Row.DONE);
    }

    /** Lets a node commit an event that is the next of its key, and DONE in the end. */
    Scene keyed(String node, String eventId, String key, long number) {
        return place(node, eventId, key, number).committed(node, eventId);
    }

    /** Gives an event its place among those of its key. */
    Scene place(String node, String eventId, String key, long number) {
        ledger(node).add(new Keyed(eventId, key, number));
        return this;
    }

    Scene row(String eventId, int status) {
        return row(eventId, status, null);
    }

    Scene row(String eventId, int status, String lockedBy) {
        table.add(new Row(eventId, status, 0, lockedBy));
        return this;
    }

    Scene attempts(String eventId, int attempts) {
        table.removeIf(row -> row.eventId().equals(eventId));
        table.add(new Row(eventId, Row.DONE, attempts, null));
        return this;
    }

    /** Lets a node commit an event for the broker that is DONE in the end. */
    Scene published(String node, String eventId) {
        return written(node, eventId, EventKind.PUBLISHED, TransactionEnd.COMMITTED)
                .row(eventId, Row.DONE);
    }

    /** Lets the broker have an event so often. */
    Scene messages(String eventId, int count) {
        messages.put(eventId, count);
        return this;
    }

    Scene lockLeft(String eventId, String lockedBy) {
        locksLeft.add(new Row(eventId, 0, 0, lockedBy));
        return this;
    }

    /** Lets a listener take a moment and answer that the event is done. */
    Scene delivered(String node, String eventId, double begin) {
        return delivered(node, eventId, begin, begin + LISTENER_SECONDS, Answer.DONE);
    }

    Scene delivered(String node, String eventId, double begin, double end, Answer answer) {
        begun(node, eventId, begin);
        ledger(node).add(new Ended(deliveries, at(end), answer));
        return this;
    }

    /** Lets an operator skip an event that blocks its key. */
    Scene skipped(String node, String eventId, double at) {
        ledger(node).add(new Skipped(eventId, at(at)));
        return this;
    }

    /** Lets a listener begin and never answer. */
    Scene begun(String node, String eventId, double begin) {
        deliveries++;
        ledger(node).add(new Begun(deliveries, eventId, at(begin)));
        return this;
    }

    Scene fault(FaultKind kind, String target, double begin, double end) {
        faults.add(new Fault(kind, target, Set.of(), at(begin), at(end)));
        return this;
    }

    Scene rowLocked(String eventId, double begin, double end) {
        faults.add(new Fault(FaultKind.SERVER_ROWS_LOCKED, Fault.SERVER, Set.of(eventId), at(begin), at(end)));
        return this;
    }

    Evidence evidence() {
        History history = new History();
        ledgers.forEach(history::add);
        return new Evidence(history, table, locksLeft, messages, faults);
    }

    Verdict judge() {
        return new Judge(evidence(), LEASE).judge();
    }

    private List<Entry> ledger(String node) {
        return ledgers.computeIfAbsent(node, name -> new ArrayList<>());
    }

    private static Instant at(double seconds) {
        return START.plusNanos(Math.round(seconds * 1e9));
    }
}
