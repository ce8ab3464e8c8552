package io.outbox.admin;

import io.outbox.model.ClusterFigures;
import io.outbox.model.ClusterNode;
import io.outbox.model.ClusterRecord;
import io.outbox.spi.ClusterBackend;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cluster of one node, whose records are gone with it: for stores that have no place for them. Thread-safe. */
final class MemoryCluster implements ClusterBackend {

    private record Stored(ClusterRecord record, Instant touchedAt) {}

    private final Clock clock;
    private final Map<String, Stored> records = new HashMap<>();
    private final List<ClusterFigures> figures = new ArrayList<>();
    private ClusterNode node;
    private Instant seenAt;

    MemoryCluster(Clock clock) {
        this.clock = clock;
    }

    @Override
    public void prepare() {}

    @Override
    public synchronized Instant join(String nodeId, String nodeName, String report) {
        seenAt = clock.instant();
        node = new ClusterNode(nodeId, nodeName, node == null ? seenAt : node.startedAt(), null, report);
        return seenAt;
    }

    @Override
    public synchronized boolean beat(String nodeId, String report, Watch watch) {
        Stored known = records.get(watch.recordId());
        boolean isNews = known == null || known.record.revision() != watch.revision();
        if (node == null || isNews) {
            return false;
        }
        join(nodeId, node.name(), report);
        return true;
    }

    @Override
    public synchronized void leave(String nodeId) {
        node = null;
    }

    @Override
    public synchronized List<ClusterNode> nodes() {
        return node == null
                ? List.of()
                : List.of(new ClusterNode(
                        node.id(),
                        node.name(),
                        node.startedAt(),
                        ClusterBackend.since(seenAt, clock.instant()),
                        node.report()));
    }

    @Override
    public int forgetNodes(Instant notSince) {
        return 0;
    }

    @Override
    public synchronized Optional<ClusterRecord> record(String id) {
        return Optional.ofNullable(records.get(id)).map(this::aged);
    }

    @Override
    public synchronized List<ClusterRecord> records(String kind) {
        return records.values().stream()
                .filter(stored -> stored.record.kind().equals(kind))
                .map(this::aged)
                .sorted(Comparator.comparing(ClusterRecord::id))
                .toList();
    }

    private ClusterRecord aged(Stored stored) {
        ClusterRecord record = stored.record;
        return new ClusterRecord(
                record.id(),
                record.kind(),
                record.revision(),
                record.content(),
                ClusterBackend.since(stored.touchedAt, clock.instant()));
    }

    private boolean isUnchanged(ClusterRecord record) {
        Stored known = records.get(record.id());
        return (known == null ? 0 : known.record.revision()) == record.revision();
    }

    @Override
    public synchronized boolean save(ClusterRecord record) {
        boolean isUnchanged = isUnchanged(record);
        if (isUnchanged) {
            ClusterRecord saved =
                    new ClusterRecord(record.id(), record.kind(), record.revision() + 1, record.content(), null);
            records.put(record.id(), new Stored(saved, clock.instant()));
        }
        return isUnchanged;
    }

    @Override
    public synchronized boolean remove(ClusterRecord record) {
        return isUnchanged(record) && records.remove(record.id()) != null;
    }

    @Override
    public synchronized void addFigures(ClusterFigures added) {
        figures.removeIf(each -> each.span() == added.span() && each.slot() == added.slot());
        figures.add(added);
    }

    @Override
    public void replaceFigures(ClusterFigures replacing) {
        addFigures(replacing);
    }

    @Override
    public synchronized List<ClusterFigures> figures(int span, long fromSlot) {
        return figures.stream()
                .filter(each -> each.span() == span && each.slot() >= fromSlot)
                .sorted(Comparator.comparing(ClusterFigures::slot))
                .toList();
    }

    @Override
    public synchronized int purgeFigures(int span, long beforeSlot) {
        int before = figures.size();
        figures.removeIf(each -> each.span() == span && each.slot() < beforeSlot);
        return before - figures.size();
    }
}
