package io.outbox.admin;

import io.outbox.model.ClusterFigures;
import io.outbox.spi.ClusterBackend;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * Keeps the figures of this node in the store: a row for each minute, which stays for six hours, and one for each
 * quarter of an hour, which stays for a week. A quarter is written with every minute in which something was delivered,
 * so that a node that is killed leaves it behind, too. Not thread-safe.
 */
final class FigureKeeper {

    static final int MINUTE = 1;
    static final int QUARTER = 15;
    static final Duration MINUTES_KEPT = Duration.ofHours(6);
    static final Duration QUARTERS_KEPT = Duration.ofDays(7);

    private static final int MOST_WAITING = 30;

    private final ClusterBackend cluster;
    private final String nodeId;
    private final String nodeName;
    private final Deque<OutboxSeries.Minute> waiting = new ArrayDeque<>();
    private Figures quarter = new Figures();
    private long quarterNumber = -1;
    private boolean isQuarterKept;
    private OutboxSeries.Minute added;

    FigureKeeper(ClusterBackend cluster, String nodeId, String nodeName) {
        this.cluster = cluster;
        this.nodeId = nodeId;
        this.nodeName = nodeName;
    }

    /** Keeps these minutes, after those that could not be kept before. */
    void keep(List<OutboxSeries.Minute> minutes) {
        waiting.addAll(minutes);
        while (waiting.size() > MOST_WAITING) {
            waiting.removeFirst();
        }
        while (!waiting.isEmpty()) {
            keep(waiting.getFirst());
            waiting.removeFirst();
        }
    }

    /** Keeps a minute, which may be repeated after a failure: the quarter counts it once. */
    private void keep(OutboxSeries.Minute minute) {
        cluster.addFigures(row(MINUTE, minute.number(), minute.figures()));
        long number = minute.number() / QUARTER;
        if (number != quarterNumber) {
            keepQuarter();
            quarter = new Figures();
            quarterNumber = number;
            isQuarterKept = false;
        }
        if (added != minute) {
            quarter.addForRow(minute.figures());
            added = minute;
        }
        if (!minute.figures().isEmpty()) {
            keepQuarter();
        }
    }

    /** Keeps the quarter that is under way, as far as it is known. */
    void keepQuarter() {
        if (quarterNumber < 0) {
            return;
        }
        ClusterFigures row = row(QUARTER, quarterNumber, quarter);
        if (isQuarterKept) {
            cluster.replaceFigures(row);
        } else {
            cluster.addFigures(row);
        }
        isQuarterKept = true;
    }

    private ClusterFigures row(int span, long slot, Figures figures) {
        return new ClusterFigures(nodeId, nodeName, span, slot, figures.json());
    }

    /** Deletes what is older than is kept, of all nodes. */
    void purge(Instant now) {
        long minute = now.getEpochSecond() / 60;
        cluster.purgeFigures(MINUTE, minute - MINUTES_KEPT.toMinutes() - QUARTER);
        cluster.purgeFigures(QUARTER, (minute - QUARTERS_KEPT.toMinutes()) / QUARTER - 1);
    }
}
