package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventCount;
import io.outbox.model.NodeStatus;
import io.outbox.model.OpenEvents;
import io.outbox.spi.InspectionBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Numbers, nodes, event types and the audit log. */
final class FiguresApi {

    private static final int MOST_MINUTES = (int) OutboxSeries.KEPT.toMinutes();
    private static final int LIVE_MINUTES = 1;

    private final Outbox outbox;
    private final InspectionBackend inspection;
    private final Views views;
    private final AuditLog audit;
    private final OutboxSeries series;
    private final Clock clock;

    /** The series may be {@code null}. */
    FiguresApi(
            Outbox outbox,
            InspectionBackend inspection,
            Views views,
            AuditLog audit,
            OutboxSeries series,
            Clock clock) {
        this.outbox = outbox;
        this.views = views;
        this.inspection = inspection;
        this.audit = audit;
        this.series = series;
        this.clock = clock;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/overview", exchange -> AdminResponse.json(200, overview()))
                .get(api + "/series", this::series, "minutes")
                .get(api + "/nodes", exchange -> AdminResponse.json(200, nodes()))
                .get(api + "/types", exchange -> AdminResponse.json(200, types()))
                .get(api + "/audit", this::audit, "limit", "after");
    }

    /** Returns what changes all the time. */
    Views.Live live() {
        return new Views.Live(overview(), slots(LIVE_MINUTES));
    }

    private Views.Overview overview() {
        NodeStatus node = outbox.nodeStatus();
        InspectionBackend.Open open = inspection.open(clock.instant());
        List<OpenEvents> due =
                open.types().stream().filter(type -> type.due() > 0).toList();
        return new Views.Overview(
                clock.instant(),
                node.state(),
                inspection.countByState(),
                InspectionBackend.MOST_COUNTED,
                outbox.deadLetters()
                        .map(letters -> letters.countByState(InspectionBackend.MOST_COUNTED))
                        .orElse(null),
                lagMs(due),
                new Views.Queues(node.hotQueueDepth(), node.coldQueueDepth()),
                due.stream().map(Views.Pending::of).toList(),
                open.exact(),
                node.unavailable().stream().map(views::unavailable).toList(),
                outbox.pausedTypes().stream().sorted().toList());
    }

    private long lagMs(List<OpenEvents> due) {
        return due.stream()
                .map(OpenEvents::dueSince)
                .min(Comparator.naturalOrder())
                .map(oldest ->
                        Math.max(0, Duration.between(oldest, clock.instant()).toMillis()))
                .orElse(0L);
    }

    private AdminResponse series(Exchange exchange) {
        int minutes = exchange.number("minutes", 60, 1, MOST_MINUTES);
        return AdminResponse.json(200, new Views.Series(OutboxSeries.SLOT.toMillis(), slots(minutes)));
    }

    private List<Views.Slot> slots(int minutes) {
        return series == null ? List.of() : series.last(Duration.ofMinutes(minutes));
    }

    private Views.Items<Views.Node> nodes() {
        Duration timeout = outbox.lockTimeout().orElse(null);
        return new Views.Items<>(inspection.nodes().stream()
                .map(locks -> Views.Node.of(locks, timeout))
                .toList());
    }

    private Views.Types types() {
        Map<String, OpenEvents> types = new TreeMap<>();
        outbox.lanes().keySet().forEach(type -> types.put(type, new OpenEvents(type, 0, 0, 0, null)));
        InspectionBackend.Open open = inspection.open(clock.instant());
        open.types().forEach(type -> types.put(type.eventType(), type));
        return new Views.Types(types.values().stream().map(this::type).toList(), open.exact());
    }

    private Views.Type type(OpenEvents open) {
        String type = open.eventType();
        EventCount count = outbox.withHeld(new EventCount(type, open.pending(), open.inProcess()));
        Optional<LanePolicy> lane = Optional.ofNullable(outbox.lanes().get(type));
        return new Views.Type(
                type,
                count.pending(),
                count.inProcess(),
                open.dueSince(),
                lane.map(Views.Lane::of).orElse(null),
                lane.or(outbox::sharedLane).map(Views.Retries::of).orElse(null),
                outbox.pausedTypes().contains(type),
                outbox.nodeStatus().unavailable().stream()
                        .filter(target -> target.eventType().equals(type))
                        .findFirst()
                        .map(views::unavailable)
                        .orElse(null));
    }

    private AdminResponse audit(Exchange exchange) {
        int limit = exchange.number("limit", 50, 1, 200);
        List<Views.AuditEntry> items = audit.latest(exchange.param("after"), limit).stream()
                .map(Views.AuditEntry::of)
                .toList();
        String next = items.size() < limit ? null : items.get(items.size() - 1).id();
        return AdminResponse.json(200, new Views.Page<>(items, next));
    }
}
