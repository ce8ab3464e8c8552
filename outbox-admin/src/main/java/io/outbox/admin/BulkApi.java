package io.outbox.admin;

import io.outbox.model.Tally;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** Actions on all events that match a filter: those of all nodes, whichever is asked. */
final class BulkApi {

    private static final int MOST_UNFINISHED = 10;
    private static final int MOST_TRIES = 20;

    private static final int FASTEST = 10_000;

    private final Operations operations;
    private final Matches.Sources sources;
    private final Views views;
    private final AuditLog audit;
    private final NodesView nodes;
    private final BulkJobs jobs;
    private final BulkRunner runner;
    private final Clock clock;

    BulkApi(
            Operations operations,
            Matches.Sources sources,
            Views views,
            AuditLog audit,
            NodesView nodes,
            BulkJobs jobs,
            BulkRunner runner,
            Clock clock) {
        this.operations = operations;
        this.sources = sources;
        this.views = views;
        this.audit = audit;
        this.nodes = nodes;
        this.jobs = jobs;
        this.runner = runner;
        this.clock = clock;
    }

    void addTo(Routes routes, String api) {
        routes.get(
                        api + "/bulk",
                        exchange -> AdminResponse.json(
                                200,
                                new Views.Items<>(
                                        jobs.all().stream().map(BulkJob::view).toList())))
                .get(
                        api + "/bulk/{id}",
                        exchange -> AdminResponse.json(200, job(exchange).job().view()))
                .operate("POST", api + "/bulk", this::order, "action", "filter", "dryRun", "perSecond")
                .operate("POST", api + "/bulk/{id}/pause", exchange -> switched(exchange, true))
                .operate("POST", api + "/bulk/{id}/resume", exchange -> switched(exchange, false))
                .operate("DELETE", api + "/bulk/{id}", this::cancel);
    }

    private BulkJobs.Stored job(Exchange exchange) {
        return jobs.find(exchange.path("id")).orElseThrow(() -> Problem.notFound("There is no such action"));
    }

    private AdminResponse order(Exchange exchange) {
        Map<String, Object> body = exchange.body();
        boolean dryRun = Exchange.flag(body, "dryRun");
        Action action = Exchange.choice("action", body.get("action"), Action.class);
        if (action == Action.DELETE && !body.containsKey("dryRun")) {
            throw Problem.invalid("dryRun", "must be given for delete: true only counts, false deletes");
        }
        Integer perSecond = rate(body.get("perSecond"));
        Matches matches = sources.of(action, body.get("filter"));
        if (matches.isByError() && views.isMasked()) {
            throw Problem.masked("filter.error");
        }
        if (action == Action.RESOLVE) {
            operations.dead().requireResolve();
        }
        if (action.kind() == Action.Kind.WAITING && !nodes.isAnyDelivering()) {
            operations.waiting().events();
        }
        Tally number = matches.count();
        return dryRun
                ? AdminResponse.json(200, new Views.Matching(number.count(), number.exact()))
                : AdminResponse.json(202, begin(action, body.get("filter"), perSecond, number, exchange.caller()));
    }

    private static Integer rate(Object value) {
        boolean isRate = value instanceof Number number
                && number.doubleValue() == number.intValue()
                && number.intValue() >= 1
                && number.intValue() <= FASTEST;
        if (value != null && !isRate) {
            throw Problem.invalid(
                    "perSecond", "must be a whole number from 1 to " + FASTEST + "; leave it out for no limit");
        }
        return value == null ? null : ((Number) value).intValue();
    }

    private Views.BulkAction begin(Action action, Object filter, Integer perSecond, Tally number, Caller caller) {
        if (jobs.unfinished() >= MOST_UNFINISHED) {
            throw Problem.conflict("too-many", "There are " + MOST_UNFINISHED + " actions already that wait");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) filter).forEach((name, value) -> fields.put((String) name, value));
        BulkJob job = BulkJob.of(new BulkJob.Order(
                UUID.randomUUID().toString(),
                action,
                fields,
                perSecond,
                number.count(),
                number.exact(),
                caller.name(),
                clock.instant()));
        String target = number.count() + (number.exact() ? "" : " or more") + " events";
        audit.record(caller, action + "-all", target, job.order().detail());
        jobs.add(job);
        runner.begin(job);
        return job.view();
    }

    /** Pauses an action after its current batch, or lets it go on. */
    private AdminResponse switched(Exchange exchange, boolean isPause) {
        BulkJob known = job(exchange).job();
        audit.record(
                exchange.caller(),
                isPause ? "pause-bulk" : "resume-bulk",
                known.order().id(),
                null);
        for (int i = 0; i < MOST_TRIES; i++) {
            BulkJobs.Stored stored = job(exchange);
            if (stored.job().isOver()) {
                throw Problem.conflict("over", "The action is over");
            }
            boolean isSo = stored.job().isPaused() == isPause;
            if (isSo
                    || jobs.save(
                            stored,
                            isPause ? stored.job().paused() : stored.job().resumed())) {
                if (!isPause) {
                    runner.begin(stored.job());
                }
                return AdminResponse.json(202, job(exchange).job().view());
            }
        }
        throw Problem.conflict("changed-meanwhile", "The action changed meanwhile; try again");
    }

    private AdminResponse cancel(Exchange exchange) {
        String id = job(exchange).job().order().id();
        audit.record(exchange.caller(), "cancel-bulk", id, null);
        for (int i = 0; i < MOST_TRIES; i++) {
            BulkJobs.Stored stored = job(exchange);
            BulkJob cancelled = stored.job().cancelled();
            if (stored.job().isOver() || runner.endIdle(stored) || jobs.save(stored, cancelled)) {
                return AdminResponse.json(202, job(exchange).job().view());
            }
        }
        throw Problem.conflict("changed-meanwhile", "The action changed meanwhile; try again");
    }
}
