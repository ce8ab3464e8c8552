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

    private final DeadEvents dead;
    private final Views views;
    private final AuditLog audit;
    private final BulkJobs jobs;
    private final BulkRunner runner;
    private final Clock clock;

    BulkApi(DeadEvents dead, Views views, AuditLog audit, BulkJobs jobs, BulkRunner runner, Clock clock) {
        this.dead = dead;
        this.views = views;
        this.audit = audit;
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
                .operate("POST", api + "/bulk", this::order, "action", "filter", "dryRun")
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
        Matches matches = Matches.of(body.get("filter"), dead.events());
        if (matches.isByError() && views.isMasked()) {
            throw Problem.masked("filter.error");
        }
        if (action == Action.RESOLVE) {
            dead.requireResolve();
        }
        Tally number = matches.count();
        return dryRun
                ? AdminResponse.json(200, new Views.Matching(number.count(), number.exact()))
                : AdminResponse.json(202, begin(action, body.get("filter"), number, exchange.caller()));
    }

    private Views.BulkAction begin(Action action, Object filter, Tally number, Caller caller) {
        if (jobs.open().size() >= MOST_UNFINISHED) {
            throw Problem.conflict("too-many", "There are " + MOST_UNFINISHED + " actions already that wait");
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        ((Map<?, ?>) filter).forEach((name, value) -> fields.put((String) name, value));
        BulkJob job = BulkJob.of(new BulkJob.Order(
                UUID.randomUUID().toString(),
                action,
                fields,
                number.count(),
                number.exact(),
                caller.name(),
                clock.instant()));
        String target = number.count() + (number.exact() ? "" : " or more") + " events";
        audit.record(caller, action + "-all", target, job.order().detail());
        jobs.add(job);
        runner.wake();
        return job.view();
    }

    private AdminResponse cancel(Exchange exchange) {
        String id = job(exchange).job().order().id();
        audit.record(exchange.caller(), "cancel", id, null);
        for (int i = 0; i < MOST_TRIES; i++) {
            BulkJobs.Stored stored = job(exchange);
            BulkJob cancelled = stored.job().cancelled();
            if (stored.job().isOver() || runner.endUnbegun(stored) || jobs.save(stored, cancelled)) {
                return AdminResponse.json(202, job(exchange).job().view());
            }
        }
        throw Problem.conflict("changed-meanwhile", "The action makes progress all the time: try again");
    }
}
