package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventCount;
import io.outbox.model.NodeStatus;
import io.outbox.model.OpenEvents;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.InspectionBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashMap;
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
    private final AuditLog audit;
    private final OutboxSeries series;
    private final Clock clock;

    /** The series may be {@code null}. */
    FiguresApi(Outbox outbox, InspectionBackend inspection, AuditLog audit, OutboxSeries series, Clock clock) {
        this.outbox = outbox;
        this.inspection = inspection;
        this.audit = audit;
        this.series = series;
        this.clock = clock;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/overview", exchange -> AdminResponse.json(200, overview()))
                .get(api + "/series", this::series)
                .get(api + "/nodes", exchange -> AdminResponse.json(200, Map.of("items", nodes())))
                .get(api + "/types", exchange -> AdminResponse.json(200, types()))
                .get(api + "/audit", this::audit);
    }

    /** Returns what changes all the time. */
    Map<String, Object> live() {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("overview", overview());
        view.put("slots", slots(LIVE_MINUTES));
        return view;
    }

    private Map<String, Object> overview() {
        NodeStatus node = outbox.nodeStatus();
        InspectionBackend.Open open = inspection.open(clock.instant());
        List<OpenEvents> due =
                open.types().stream().filter(type -> type.due() > 0).toList();
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("at", clock.instant());
        view.put("state", node.state());
        view.put("counts", inspection.countByState());
        view.put("countsStopAt", InspectionBackend.MOST_COUNTED);
        view.put(
                "deadLetters",
                outbox.deadLetters()
                        .map(letters -> letters.countByState(InspectionBackend.MOST_COUNTED))
                        .orElse(null));
        view.put("lagMs", lagMs(due));
        view.put("queues", Map.of("hot", node.hotQueueDepth(), "cold", node.coldQueueDepth()));
        view.put("pending", due.stream().map(FiguresApi::pending).toList());
        view.put("pendingExact", open.exact());
        view.put(
                "unavailable",
                node.unavailable().stream().map(FiguresApi::unavailable).toList());
        view.put("pausedTypes", outbox.pausedTypes().stream().sorted().toList());
        return view;
    }

    private long lagMs(List<OpenEvents> due) {
        return due.stream()
                .map(OpenEvents::dueSince)
                .min(Comparator.naturalOrder())
                .map(oldest ->
                        Math.max(0, Duration.between(oldest, clock.instant()).toMillis()))
                .orElse(0L);
    }

    private static Map<String, Object> pending(OpenEvents type) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("eventType", type.eventType());
        view.put("count", type.due());
        view.put("oldestDueAt", type.dueSince());
        return view;
    }

    private static Map<String, Object> unavailable(UnavailableTarget target) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("eventType", target.eventType());
        view.put("since", target.since());
        view.put("cause", target.cause());
        return view;
    }

    private AdminResponse series(Exchange exchange) {
        int minutes = exchange.number("minutes", 60, 1, MOST_MINUTES);
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("slotMs", OutboxSeries.SLOT.toMillis());
        view.put("items", slots(minutes));
        return AdminResponse.json(200, view);
    }

    private List<Map<String, Object>> slots(int minutes) {
        return series == null ? List.of() : series.last(Duration.ofMinutes(minutes));
    }

    private List<Map<String, Object>> nodes() {
        Duration timeout = outbox.lockTimeout().orElse(null);
        return inspection.nodes().stream()
                .map(locks -> Views.node(locks, timeout))
                .toList();
    }

    private Map<String, Object> types() {
        Map<String, LanePolicy> lanes = outbox.lanes();
        Map<String, Map<String, Object>> types = new TreeMap<>();
        lanes.keySet().forEach(type -> types.put(type, type(new OpenEvents(type, 0, 0, 0, null))));
        InspectionBackend.Open open = inspection.open(clock.instant());
        open.types().forEach(type -> types.put(type.eventType(), type(type)));
        NodeStatus node = outbox.nodeStatus();
        types.forEach((type, view) -> {
            view.put("lane", lanes.containsKey(type) ? lane(lanes.get(type)) : null);
            view.put(
                    "retries",
                    Optional.ofNullable(lanes.get(type))
                            .or(outbox::sharedLane)
                            .map(FiguresApi::retries)
                            .orElse(null));
            view.put("paused", outbox.pausedTypes().contains(type));
            view.put(
                    "unavailable",
                    node.unavailable().stream()
                            .filter(target -> target.eventType().equals(type))
                            .findFirst()
                            .map(FiguresApi::unavailable)
                            .orElse(null));
        });
        return Map.of("items", List.copyOf(types.values()), "exact", open.exact());
    }

    private Map<String, Object> type(OpenEvents type) {
        EventCount count = outbox.withHeld(new EventCount(type.eventType(), type.pending(), type.inProcess()));
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("eventType", type.eventType());
        view.put("pending", count.pending());
        view.put("inProcess", count.inProcess());
        view.put("oldestDueAt", type.dueSince());
        return view;
    }

    private static Map<String, Object> retries(LanePolicy policy) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("maxAttempts", policy.maxAttempts());
        view.put("delays", policy.retryPolicy().describe());
        return view;
    }

    private static Map<String, Object> lane(LanePolicy policy) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("batchSize", policy.batchSize());
        view.put("maxAttempts", policy.maxAttempts());
        view.put("concurrency", policy.concurrency());
        view.put("maxPerSecond", policy.maxPerSecond());
        view.put("queueCapacity", policy.queueCapacity());
        return view;
    }

    private AdminResponse audit(Exchange exchange) {
        int limit = exchange.number("limit", 50, 1, 200);
        List<Map<String, Object>> items = audit.latest(exchange.param("after"), limit).stream()
                .map(Views::audit)
                .toList();
        Map<String, Object> page = new LinkedHashMap<>();
        page.put("items", items);
        page.put(
                "next",
                items.size() < limit ? null : items.get(items.size() - 1).get("id"));
        return AdminResponse.json(200, page);
    }
}
