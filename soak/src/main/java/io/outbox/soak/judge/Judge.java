package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.judge.Finding.Kind;
import io.outbox.soak.judge.Verdict.Figures;
import io.outbox.soak.ledger.Delivery;
import io.outbox.soak.ledger.Entry.Answer;
import io.outbox.soak.ledger.Entry.TransactionEnd;
import io.outbox.soak.ledger.EventKind;
import io.outbox.soak.ledger.EventKind.End;
import io.outbox.soak.ledger.History;
import io.outbox.soak.ledger.WrittenEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Holds what happened against what the outbox promises.
 *
 * <ol>
 *   <li>A committed event is in the table, came to a listener, and ended as the listener wanted.
 *   <li>An event whose commit has an unknown end was delivered if it is in the table, and only then.
 *   <li>An event that was rolled back, or undone inside its transaction, never came to a listener.
 *   <li>A node that has closed holds no lock.
 *   <li>An event that came again, though nobody had asked for it, did so because of a fault; see {@link Excuses}.
 *   <li>An event has no more failed attempts than listeners failed.
 *   <li>Events of one key come one at a time, in the order of their commits; see {@link KeyOrder}.
 *   <li>A published event that is DONE is with the broker, and not more often than it was sent there.
 *   <li>An event that is due, and is the first of its key, comes to a listener before long; see {@link Waits}.
 * </ol>
 *
 * One judge judges one run.
 */
public final class Judge {

    /** The longest pause after which a listener that asked to see an event again may see it. */
    private static final Duration LONGEST_BACKOFF = Duration.ofMillis(1_500);

    private final Evidence evidence;
    private final History history;
    private final Excuses excuses;
    private final Waits waits;
    private final KeyOrder order;
    private final Map<String, Row> table = new HashMap<>();
    private final List<Finding> findings = new ArrayList<>();
    private final Map<FaultKind, Integer> explained = new EnumMap<>(FaultKind.class);
    private int repetitions;

    /** A judge for a run whose nodes had this lease. */
    public Judge(Evidence evidence, Duration lease) {
        this.evidence = evidence;
        this.history = evidence.history();
        this.excuses = new Excuses(evidence.faults(), lease);
        this.waits = new Waits(evidence.faults(), lease);
        evidence.table().forEach(row -> table.put(row.eventId(), row));
        this.order = new KeyOrder(evidence, table.keySet(), new Excuses(evidence.faults(), lease));
    }

    public Verdict judge() {
        history.written().forEach(this::judgeWritten);
        history.delivered().forEach(this::judgeDelivered);
        evidence.messages().forEach((eventId, messages) -> {
            if (messages > history.deliveries(eventId).size()) {
                find(Kind.PUBLISHED_TOO_OFTEN, eventId);
            }
        });
        order.outOfOrder((since, delivery) -> find(Kind.OUT_OF_ORDER, since, delivery));
        order.atTheSameTime((since, delivery) -> find(Kind.AT_THE_SAME_TIME, since, delivery));
        evidence.locksLeft().forEach(row -> find(Kind.STUCK_LOCK, row.eventId()));
        table.values().stream()
                .filter(row -> row.lockedBy() != null)
                .forEach(row -> find(Kind.STUCK_LOCK, row.eventId()));
        Figures figures = new Figures(
                table.size(),
                order.events(),
                count(TransactionEnd.ROLLED_BACK) + count(TransactionEnd.UNDONE),
                count(TransactionEnd.UNKNOWN),
                history.deliveryCount(),
                repetitions);
        return new Verdict(figures, explained, findings);
    }

    private void judgeWritten(WrittenEvent event) {
        Row row = table.get(event.eventId());
        if (row != null) {
            judgeStored(event, row);
        } else if (event.end() == TransactionEnd.COMMITTED) {
            find(Kind.LOST, event.eventId());
        }
    }

    private void judgeStored(WrittenEvent event, Row row) {
        if (history.deliveries(event.eventId()).isEmpty()) {
            find(Kind.NOT_DELIVERED, event.eventId());
        }
        if (row.status() != Row.DONE && row.status() != Row.DEAD) {
            find(Kind.NOT_FINISHED, event.eventId());
        } else if (row.status() == Row.DONE != (event.kind().end() == End.DONE)) {
            find(Kind.WRONG_END, event.eventId());
        }
        if (event.kind() == EventKind.PUBLISHED
                && row.status() == Row.DONE
                && !evidence.messages().containsKey(event.eventId())) {
            find(Kind.NOT_PUBLISHED, event.eventId());
        }
        if (row.attempts() > (event.kind() == EventKind.PUBLISHED ? 0 : notDone(event.eventId()))) {
            find(Kind.FALSE_ATTEMPT, event.eventId());
        }
    }

    private long notDone(String eventId) {
        return history.deliveries(eventId).stream()
                .filter(delivery -> delivery.answer() != Answer.DONE)
                .count();
    }

    private void judgeDelivered(String eventId) {
        WrittenEvent event = history.event(eventId);
        List<Delivery> deliveries = history.deliveries(eventId);
        if (event != null && event.end() == TransactionEnd.UNDONE) {
            find(Kind.FROM_FAILED_TRANSACTION, eventId);
        } else if (event == null || event.end() == TransactionEnd.ROLLED_BACK || !table.containsKey(eventId)) {
            find(Kind.NEVER_COMMITTED, eventId);
        } else if (event.dueAt() != null) {
            judgeWait(event.kind(), order.deliverableAt(event), deliveries.get(0));
        }
        for (int i = 1; i < deliveries.size(); i++) {
            judgeRepetition(deliveries.get(i - 1), deliveries.get(i));
        }
    }

    /** Events that keep their workers busy for longer than a lease wait for each other, which is nobody's fault. */
    private void judgeWait(EventKind kind, Instant due, Delivery delivery) {
        if (kind != EventKind.LONG
                && waits.isTooLong(kind, row -> order.isAhead(row, delivery.eventId()), due, delivery.begin())) {
            find(Kind.LATE, due, delivery);
        }
    }

    private void judgeRepetition(Delivery earlier, Delivery later) {
        if (earlier.allows(later)) {
            repetitions++;
            judgeWait(kind(later.eventId()), earlier.end().plus(LONGEST_BACKOFF), later);
            return;
        }
        Optional<Fault> excuse = excuses.explain(earlier, later);
        if (excuse.isPresent()) {
            explained.merge(excuse.get().kind(), 1, Integer::sum);
        } else {
            find(Kind.UNEXPLAINED_DUPLICATE, earlier.begin(), later);
        }
    }

    private EventKind kind(String eventId) {
        WrittenEvent event = history.event(eventId);
        return event == null ? EventKind.PLAIN : event.kind();
    }

    private void find(Kind kind, Instant since, Delivery delivery) {
        findings.add(new Finding(kind, delivery.eventId(), delivery.begin(), suspect(since, delivery.begin())));
    }

    private FaultKind suspect(Instant since, Instant until) {
        return evidence.faults().stream()
                .filter(fault -> !fault.begin().isAfter(until))
                .max(Comparator.comparing((Fault fault) -> timeBetween(since, until, fault))
                        .thenComparing(Fault::begin))
                .map(Fault::kind)
                .orElse(null);
    }

    /** Returns how much of some time a fault took. */
    private static Duration timeBetween(Instant since, Instant until, Fault fault) {
        Instant from = max(since, fault.begin());
        Instant to = fault.end().isBefore(until) ? fault.end() : until;
        return Duration.between(from, max(from, to));
    }

    private static Instant max(Instant one, Instant other) {
        return one.isAfter(other) ? one : other;
    }

    private void find(Kind kind, String eventId) {
        findings.add(new Finding(kind, eventId, null, null));
    }

    private int count(TransactionEnd end) {
        return (int)
                history.written().stream().filter(event -> event.end() == end).count();
    }
}
