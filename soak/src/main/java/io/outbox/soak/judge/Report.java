package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.ledger.Delivery;
import io.outbox.soak.ledger.WrittenEvent;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Formatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A verdict as text; times are seconds since the run began. */
public final class Report {

    /** How far from a delivery a fault is still worth a line. */
    private static final Duration AROUND = Duration.ofSeconds(20);

    private final String title;
    private final Instant start;
    private final Evidence evidence;
    private final Verdict verdict;

    public Report(String title, Instant start, Evidence evidence, Verdict verdict) {
        this.title = title;
        this.start = start;
        this.evidence = evidence;
        this.verdict = verdict;
    }

    /** Returns the table of figures. */
    public String summary() {
        try (Formatter text = new Formatter(Locale.ROOT)) {
            text.format("%s%n", title);
            line(text, "faults", evidence.faults().size() + byKind(faultCounts()));
            line(text, "events stored", verdict.figures().stored());
            line(text, "events with a key", verdict.figures().inOrder());
            line(text, "events rolled back", verdict.figures().rolledBack());
            line(text, "events of unknown commits", verdict.figures().unknown());
            line(text, "deliveries", verdict.figures().deliveries());
            line(text, "repetitions asked for", verdict.figures().repetitions());
            int explained = verdict.explained().values().stream()
                    .mapToInt(Integer::intValue)
                    .sum();
            line(text, "duplicates explained", explained + byKind(verdict.explained()));
            for (Finding.Kind kind : Finding.Kind.values()) {
                line(text, label(kind), verdict.count(kind) + byKind(suspects(kind)));
            }
            return text.toString();
        }
    }

    private static void line(Formatter text, String label, Object value) {
        text.format("  %-26s %s%n", label, value);
    }

    private static String label(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private Map<FaultKind, Integer> faultCounts() {
        return evidence.faults().stream()
                .collect(Collectors.toMap(Fault::kind, fault -> 1, Integer::sum, TreeMap::new));
    }

    private Map<FaultKind, Integer> suspects(Finding.Kind kind) {
        return verdict.findings().stream()
                .filter(finding -> finding.kind() == kind)
                .map(Finding::suspect)
                .filter(Objects::nonNull)
                .collect(Collectors.toMap(suspect -> suspect, suspect -> 1, Integer::sum, TreeMap::new));
    }

    private static String byKind(Map<FaultKind, Integer> counts) {
        return counts.isEmpty()
                ? ""
                : counts.entrySet().stream()
                        .map(entry -> label(entry.getKey()) + " " + entry.getValue())
                        .collect(Collectors.joining(", ", " (", ")"));
    }

    /** Returns all faults, in the order in which they happened. */
    public String faults() {
        return evidence.faults().stream()
                .map(fault -> "  " + happened(fault) + System.lineSeparator())
                .collect(Collectors.joining());
    }

    /** Returns the full history of the first findings, at most so many; empty if there are none. */
    public String findings(int limit) {
        try (Formatter text = new Formatter(Locale.ROOT)) {
            verdict.findings().stream().limit(limit).forEach(finding -> describe(text, finding));
            int more = verdict.findings().size() - limit;
            if (more > 0) {
                text.format("… and %d more%n", more);
            }
            return text.toString();
        }
    }

    private void describe(Formatter text, Finding finding) {
        text.format("%s: event %s%n", label(finding.kind()), finding.eventId());
        WrittenEvent event = evidence.history().event(finding.eventId());
        text.format("  written    %s%n", event == null ? "by nobody" : written(event));
        List<Delivery> deliveries = evidence.history().deliveries(finding.eventId());
        deliveries.forEach(delivery -> text.format("  delivered  %s%n", delivered(delivery)));
        text.format("  row        %s%n", row(finding.eventId()));
        around(finding, deliveries).forEach(fault -> text.format("  fault      %s%n", happened(fault)));
    }

    private String happened(Fault fault) {
        String events = fault.events().isEmpty() ? "" : ": " + String.join(", ", fault.events());
        return fault.target() + " " + label(fault.kind()) + " " + time(fault.begin()) + " to " + time(fault.end())
                + events;
    }

    private String written(WrittenEvent event) {
        String due = event.dueAt() == null ? "" : ", due " + time(event.dueAt());
        String place = event.place() == null
                ? ""
                : ", number " + event.place().number() + " of key "
                        + event.place().key();
        return label(event.kind()) + " by " + event.node() + ", " + label(event.end()) + due + place;
    }

    private String delivered(Delivery delivery) {
        String end = delivery.end() == null ? "no answer" : time(delivery.end()) + " " + label(delivery.answer());
        return delivery.node() + " " + time(delivery.begin()) + " to " + end;
    }

    private String row(String eventId) {
        List<Row> rows = new ArrayList<>(evidence.table());
        rows.addAll(evidence.locksLeft());
        String text = rows.stream()
                .filter(row -> row.eventId().equals(eventId))
                .map(row -> "status " + row.status() + ", attempts " + row.attempts()
                        + (row.lockedBy() == null ? "" : ", locked by " + row.lockedBy()))
                .collect(Collectors.joining("; before: "));
        return text.isEmpty() ? "none" : text;
    }

    private List<Fault> around(Finding finding, List<Delivery> deliveries) {
        if (deliveries.isEmpty()) {
            return List.of();
        }
        Instant first = deliveries.get(0).begin().minus(AROUND);
        Instant last = deliveries.get(deliveries.size() - 1).begin();
        return evidence.faults().stream()
                .filter(fault -> !fault.end().isBefore(first) && !fault.begin().isAfter(last))
                .toList();
    }

    private String time(Instant at) {
        return String.format(Locale.ROOT, "%+.3f", Duration.between(start, at).toNanos() / 1e9);
    }
}
