package io.outbox.admin;

import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** What operators have paused, in one record that all nodes know. Thread-safe. */
final class Pauses {

    /** The record, which exists from the first node on. */
    static final String ID = "pauses";

    private static final String KIND = "PAUSES";
    private static final int MOST_TRIES = 20;
    private static final System.Logger LOG = System.getLogger(Pauses.class.getName());

    /**
     * Something that is paused.
     *
     * @param eventType a type, or {@code null} for all delivery
     * @param node the name of a node, or {@code null} for all nodes
     */
    record Pause(String eventType, String node, String by, Instant at) {

        boolean isOf(String type, String name) {
            return Objects.equals(eventType, type) && Objects.equals(node, name);
        }

        boolean holdsFor(String name) {
            return node == null || node.equals(name);
        }
    }

    /** All pauses, as of a revision of the record. */
    record Known(long revision, List<Pause> pauses) {}

    private final ClusterBackend cluster;
    private final Clock clock;
    private volatile List<Pause> latest = List.of();
    private volatile long unreadable;

    Pauses(ClusterBackend cluster, Clock clock) {
        this.cluster = cluster;
        this.clock = clock;
    }

    /** Returns what is paused. */
    Known read() {
        ClusterRecord record = record();
        Optional<List<Pause>> pauses = parse(record.content());
        if (pauses.isEmpty() && record.revision() != unreadable) {
            unreadable = record.revision();
            LOG.log(
                    Level.WARNING,
                    "The record of what operators have paused cannot be read, perhaps because a node of another version"
                            + " wrote it. This node keeps to what it read last");
        }
        latest = pauses.orElse(latest);
        return new Known(record.revision(), latest);
    }

    private ClusterRecord record() {
        return cluster.record(ID).orElseGet(() -> {
            cluster.save(new ClusterRecord(ID, KIND, text(List.of())));
            return cluster.record(ID).orElseThrow(() -> new IllegalStateException("The record of pauses is gone"));
        });
    }

    /** Gives the record a new revision with the same content, which all nodes notice with their next beats. */
    void announce() {
        ClusterRecord record = record();
        cluster.save(record.with(KIND, record.content()));
    }

    /** Pauses a type, or all delivery, on a node, or on all. To pause again changes nothing. */
    void pause(String eventType, String node, String by) {
        change(pauses -> {
            if (pauses.stream().noneMatch(pause -> pause.isOf(eventType, node))) {
                pauses.add(new Pause(eventType, node, by, clock.instant()));
            }
            return pauses;
        });
    }

    /**
     * Resumes a type, or all delivery, on a node; on all if the node is {@code null}, also where only one was paused.
     */
    void resume(String eventType, String node) {
        change(pauses -> {
            pauses.removeIf(pause -> pause.isOf(eventType, node == null ? pause.node() : node));
            return pauses;
        });
    }

    private void change(UnaryOperator<List<Pause>> change) {
        for (int i = 0; i < MOST_TRIES; i++) {
            ClusterRecord record = record();
            List<Pause> before = parse(record.content())
                    .orElseThrow(() -> Problem.conflict(
                            "other-version", "The pauses were written by a node of another version: use that one"));
            List<Pause> after = change.apply(new ArrayList<>(before));
            if (after.equals(before) || cluster.save(record.with(KIND, text(after)))) {
                return;
            }
        }
        throw Problem.conflict("changed-meanwhile", "Other operators changed pauses at the same time; try again");
    }

    private static String text(List<Pause> pauses) {
        return Json.text(Map.of(
                "pauses",
                pauses.stream()
                        .map(pause -> {
                            Map<String, Object> fields = new LinkedHashMap<>();
                            fields.put("eventType", pause.eventType());
                            fields.put("node", pause.node());
                            fields.put("by", pause.by());
                            fields.put("at", pause.at());
                            return fields;
                        })
                        .toList()));
    }

    /** A record that nobody can read pauses nothing, and is replaced by the next change. */
    /** Returns the pauses of a record; empty if it is none that this version knows. */
    private static Optional<List<Pause>> parse(String content) {
        try {
            List<Pause> pauses = new ArrayList<>();
            for (Object item : (List<?>) Objects.requireNonNull(
                    Json.object(content.getBytes(StandardCharsets.UTF_8)).get("pauses"))) {
                Map<?, ?> fields = (Map<?, ?>) item;
                pauses.add(new Pause(
                        (String) fields.get("eventType"),
                        (String) fields.get("node"),
                        String.valueOf(fields.get("by")),
                        Instant.parse(String.valueOf(fields.get("at")))));
            }
            return Optional.of(pauses);
        } catch (Problem | ClassCastException | NullPointerException | DateTimeParseException e) {
            return Optional.empty();
        }
    }
}
