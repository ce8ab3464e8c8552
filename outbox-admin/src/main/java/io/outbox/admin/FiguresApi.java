package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.EventCount;
import io.outbox.model.OpenEvents;
import io.outbox.model.UnavailableTarget;
import io.outbox.spi.InspectionBackend;
import java.time.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Numbers, nodes, event types and the audit log. */
final class FiguresApi {

    /** How listeners for any type are registered. */
    private static final String ANY = "*";

    private final Outbox outbox;
    private final InspectionBackend inspection;
    private final Views views;
    private final AuditLog audit;
    private final Member member;
    private final NodesView nodes;
    private final SeriesReader series;
    private final DatabaseAdvice advice;
    private final Clock clock;

    FiguresApi(
            Outbox outbox,
            InspectionBackend inspection,
            Views views,
            AuditLog audit,
            Member member,
            NodesView nodes,
            Clock clock) {
        this.outbox = outbox;
        this.views = views;
        this.inspection = inspection;
        this.audit = audit;
        this.member = member;
        this.nodes = nodes;
        this.series = new SeriesReader(member);
        this.advice = new DatabaseAdvice(inspection::figures, System::nanoTime);
        this.clock = clock;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/overview", exchange -> AdminResponse.json(200, overview()))
                .get(api + "/series", this::series, "minutes", "node", "eventType")
                .get(api + "/nodes", exchange -> AdminResponse.json(200, nodes.all()))
                .get(api + "/types", exchange -> AdminResponse.json(200, types()))
                .get(api + "/audit", this::audit, "who", "action", "event", "from", "to", "limit", "after");
    }

    /** Returns what changes all the time. */
    Views.Live live() {
        return new Views.Live(overview());
    }

    private Views.Overview overview() {
        NodesView.Together together = nodes.together();
        InspectionBackend.Open open = inspection.open(clock.instant());
        List<OpenEvents> due =
                open.types().stream().filter(type -> type.due() > 0).toList();
        return new Views.Overview(
                clock.instant(),
                member.name(),
                outbox.state(),
                together.counts(),
                inspection.countByState(),
                InspectionBackend.MOST_COUNTED,
                outbox.deadLetters()
                        .map(letters -> letters.countByState(InspectionBackend.MOST_COUNTED))
                        .orElse(null),
                lagMs(due),
                together.queues(),
                together.donePerSecond(),
                due.stream().map(Views.Pending::of).toList(),
                open.exact(),
                together.targets().stream().map(views::unavailable).toList(),
                member.pauses().read().pauses().stream().map(Views.Pause::of).toList(),
                outbox.pausedTypes().stream().sorted().toList(),
                advice.latest());
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
        int minutes = exchange.number("minutes", 60, 1, SeriesReader.MOST_MINUTES);
        return AdminResponse.json(200, series.last(minutes, exchange.param("node"), exchange.param("eventType")));
    }

    /** Types with a lane, with a listener on this node, with something to deliver, or delivered lately. */
    private Views.Types types() {
        SeriesReader.Recent recent = series.recent();
        Set<String> named = new TreeSet<>(outbox.lanes().keySet());
        named.addAll(outbox.eventTypes());
        named.addAll(recent.types());
        named.removeIf(type -> type.isEmpty() || type.startsWith(ANY));
        Map<String, OpenEvents> types = new TreeMap<>();
        named.forEach(type -> types.put(type, new OpenEvents(type, 0, 0, 0, null)));
        InspectionBackend.Open open = inspection.open(clock.instant());
        open.types().forEach(type -> types.put(type.eventType(), type));
        Map<String, Views.Unavailable> unavailable = nodes.together().targets().stream()
                .collect(Collectors.toMap(UnavailableTarget::eventType, views::unavailable));
        Map<String, Views.PausedOn> paused = nodes.pausedTypes();
        return new Views.Types(
                types.values().stream()
                        .map(type -> {
                            Views.Unavailable target = unavailable.get(type.eventType());
                            Views.PausedOn pausedOn = paused.get(type.eventType());
                            boolean isFlowing = open.exact() && pausedOn == null && target == null;
                            return type(type, pausedOn, target, recent.rates(type, isFlowing));
                        })
                        .toList(),
                open.exact());
    }

    private Views.Type type(
            OpenEvents open, Views.PausedOn pausedOn, Views.Unavailable unavailable, Views.Rates rates) {
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
                pausedOn != null,
                pausedOn,
                unavailable,
                rates);
    }

    private AdminResponse audit(Exchange exchange) {
        int limit = exchange.number("limit", 50, 1, 200);
        AuditLog.Filter filter = new AuditLog.Filter(
                exchange.param("who"),
                exchange.param("action"),
                exchange.param("event"),
                exchange.time("from"),
                exchange.time("to"));
        return AdminResponse.json(200, audit.latest(filter, exchange.param("after"), limit));
    }
}
