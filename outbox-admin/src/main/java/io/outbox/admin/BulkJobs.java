package io.outbox.admin;

import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The bulk actions of all nodes, each a record that whoever changes it has to know the newest revision of. Thread-safe.
 */
final class BulkJobs {

    /** The kind of records that somebody has to look after. */
    static final String OPEN = "BULK";

    private static final String PAUSED = "BULK_PAUSED";
    private static final String ENDED = "BULK_ENDED";
    private static final Set<String> KINDS = Set.of(OPEN, PAUSED, ENDED);
    private static final int KEPT = 50;
    private static final System.Logger LOG = System.getLogger(BulkJobs.class.getName());

    /** A job, and the record that it was read from. */
    record Stored(ClusterRecord record, BulkJob job) {

        /** Returns whether the node that has it in hand has given no sign of life for so long. */
        boolean isUntouchedFor(Duration silence) {
            return record.untouchedFor().compareTo(silence) > 0;
        }
    }

    private final ClusterBackend cluster;

    BulkJobs(ClusterBackend cluster) {
        this.cluster = cluster;
    }

    /** Returns how many are not over. */
    long unfinished() {
        return read(OPEN).count() + read(PAUSED).count();
    }

    /** Returns those that are not over and not paused, the oldest first. */
    List<Stored> open() {
        return read(OPEN)
                .sorted(Comparator.comparing(stored -> stored.job.order().createdAt()))
                .toList();
    }

    /** Returns all that are known, the newest first. */
    List<BulkJob> all() {
        return Stream.of(OPEN, PAUSED, ENDED)
                .flatMap(this::read)
                .map(Stored::job)
                .sorted(Comparator.comparing((BulkJob job) -> job.order().createdAt())
                        .reversed())
                .toList();
    }

    Optional<Stored> find(String id) {
        return id.length() > 36 ? Optional.empty() : cluster.record(id).flatMap(BulkJobs::stored);
    }

    private Stream<Stored> read(String kind) {
        return cluster.records(kind).stream().map(BulkJobs::stored).flatMap(Optional::stream);
    }

    private static Optional<Stored> stored(ClusterRecord record) {
        if (!KINDS.contains(record.kind())) {
            return Optional.empty();
        }
        try {
            return Optional.of(new Stored(record, BulkJob.parse(record.id(), record.content())));
        } catch (IllegalArgumentException e) {
            LOG.log(Level.DEBUG, "A bulk action of another version is left to nodes that know it", e);
            return Optional.empty();
        }
    }

    void add(BulkJob job) {
        cluster.save(new ClusterRecord(job.order().id(), OPEN, job.json()));
    }

    /** Saves a change; returns whether nobody else has changed the job meanwhile. */
    boolean save(Stored known, BulkJob changed) {
        boolean isSaved = cluster.save(known.record.with(kind(changed), changed.json()));
        if (isSaved && changed.isOver()) {
            forgetOld();
        }
        return isSaved;
    }

    /** What is paused has a separate kind: no node has to look after it until it is resumed or cancelled. */
    private static String kind(BulkJob job) {
        return job.isOver() ? ENDED : job.isPaused() && !job.isCancelled() ? PAUSED : OPEN;
    }

    private void forgetOld() {
        read(ENDED)
                .sorted(Comparator.comparing((Stored stored) -> stored.job.finishedAt())
                        .reversed())
                .skip(KEPT)
                .forEach(old -> cluster.remove(old.record));
    }
}
