package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.model.ClusterNode;
import io.outbox.model.NodeLocks;
import io.outbox.model.OutboxStatus.State;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.InspectionBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The nodes on the store: those that say so, and those that have events in hand without a word. */
final class NodesView {

    private final Outbox outbox;
    private final InspectionBackend inspection;
    private final Member member;

    NodesView(Outbox outbox, InspectionBackend inspection, Member member) {
        this.outbox = outbox;
        this.inspection = inspection;
        this.member = member;
    }

    /** Returns all nodes with what they have in hand. */
    Views.Items<Views.Node> all() {
        Duration timeout = outbox.lockTimeout().orElse(null);
        Map<String, NodeLocks> locks = inspection.nodes().stream()
                .collect(Collectors.toMap(NodeLocks::node, each -> each, (a, b) -> a, TreeMap::new));
        List<ClusterNode> known = member.cluster().nodes();
        List<Views.Node> nodes = new ArrayList<>();
        for (ClusterNode node : known) {
            NodeLocks held = locks.get(node.name());
            nodes.add(new Views.Node(
                    node.name(),
                    node.id(),
                    isUp(node) ? Views.NodeState.UP : Views.NodeState.SILENT,
                    node.id().equals(member.id()),
                    detail(node, known),
                    held == null ? null : Views.NodeHolds.of(held, timeout)));
        }
        known.forEach(node -> locks.remove(node.name()));
        locks.values()
                .forEach(held -> nodes.add(new Views.Node(
                        held.node(), null, Views.NodeState.UNKNOWN, false, null, Views.NodeHolds.of(held, timeout))));
        return new Views.Items<>(nodes);
    }

    private boolean isUp(ClusterNode node) {
        return node.silentFor().compareTo(member.pace().silence()) <= 0;
    }

    /** Returns whether a node that is up delivers. */
    boolean isAnyDelivering() {
        return member.cluster().nodes().stream()
                .anyMatch(node -> isUp(node) && NodeReport.parse(node.report()).delivers());
    }

    private Views.NodeDetail detail(ClusterNode node, List<ClusterNode> all) {
        NodeReport report = NodeReport.parse(node.report());
        Instant clock = report.time("clock");
        return new Views.NodeDetail(
                report.text("host"),
                report.text("version"),
                node.startedAt(),
                node.silentFor().toMillis(),
                report.text("state"),
                report.pausedTypes(),
                report.count("hot"),
                report.count("cold"),
                isUp(node) ? report.rate() : null,
                clock == null ? null : Duration.between(seenAt(node), clock).toMillis(),
                all.stream().anyMatch(other -> areTwins(node, other)));
    }

    private Instant seenAt(ClusterNode node) {
        return member.now().minus(node.silentFor());
    }

    /** Returns whether two nodes are there at the same time under one name; one that was restarted is no such case. */
    private boolean areTwins(ClusterNode one, ClusterNode other) {
        Instant later = one.startedAt().isAfter(other.startedAt()) ? one.startedAt() : other.startedAt();
        return one.name().equals(other.name())
                && !one.id().equals(other.id())
                && isUp(one)
                && isUp(other)
                && seenAt(one).isAfter(later.plus(member.pace().restBeat()))
                && seenAt(other).isAfter(later.plus(member.pace().restBeat()));
    }

    /** Returns the paused types, with the number of nodes on which they are, of those that are up and deliver. */
    Map<String, Views.PausedOn> pausedTypes() {
        List<Pauses.Pause> ordered = member.pauses().read().pauses();
        Map<String, Integer> counts = new TreeMap<>();
        ordered.stream()
                .filter(pause -> pause.eventType() != null && pause.node() == null)
                .forEach(pause -> counts.put(pause.eventType(), 0));
        int delivering = 0;
        for (ClusterNode node : member.cluster().nodes()) {
            NodeReport report = NodeReport.parse(node.report());
            if (isUp(node) && report.delivers()) {
                delivering++;
                pausedTypes(node, report, ordered).forEach(type -> counts.merge(type, 1, Integer::sum));
            }
        }
        int all = delivering;
        return counts.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> new Views.PausedOn(each.getValue(), all)));
    }

    /** Returns what is paused on a node, or is about to be; what others report is cut off where it is too much. */
    private Set<String> pausedTypes(ClusterNode node, NodeReport report, List<Pauses.Pause> ordered) {
        Set<String> types = new TreeSet<>(node.id().equals(member.id()) ? outbox.pausedTypes() : report.pausedTypes());
        ordered.stream()
                .filter(pause -> pause.eventType() != null && pause.holdsFor(node.name()))
                .map(Pauses.Pause::eventType)
                .forEach(types::add);
        return types;
    }

    /** What the nodes that are up do together. */
    record Together(
            Views.NodeCounts counts, Views.Queues queues, Double donePerSecond, List<UnavailableTarget> targets) {}

    /** Returns what others said last, and what this node knows of itself at this moment. */
    Together together() {
        int up = 0;
        int silent = 0;
        int paused = outbox.state() == State.PAUSED ? 1 : 0;
        int hot = outbox.nodeStatus().hotQueueDepth();
        int cold = outbox.nodeStatus().coldQueueDepth();
        Double rate = null;
        Map<String, UnavailableTarget> targets = new TreeMap<>();
        for (ClusterNode node : member.cluster().nodes()) {
            if (!isUp(node)) {
                silent++;
                continue;
            }
            up++;
            NodeReport report = NodeReport.parse(node.report());
            if (report.rate() != null) {
                rate = (rate == null ? 0 : rate) + report.rate();
            }
            if (!node.id().equals(member.id())) {
                paused += State.PAUSED.name().equals(report.text("state")) ? 1 : 0;
                hot += report.count("hot");
                cold += report.count("cold");
                report.unavailable().forEach(target -> targets.putIfAbsent(target.eventType(), target));
            }
        }
        outbox.nodeStatus().unavailable().forEach(target -> targets.put(target.eventType(), target));
        return new Together(
                new Views.NodeCounts(up, silent, paused),
                new Views.Queues(hot, cold),
                rate,
                List.copyOf(targets.values()));
    }
}
