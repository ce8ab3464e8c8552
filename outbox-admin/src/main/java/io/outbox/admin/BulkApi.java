package io.outbox.admin;

import io.outbox.model.Tally;
import io.outbox.util.DaemonThreadFactory;
import java.time.Clock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Actions on all events that match a filter. They are those of this node, one after the other, and the last ones are kept. */
final class BulkApi implements AutoCloseable {

    private static final int KEPT = 50;
    private static final int MOST_UNFINISHED = 10;

    private final DeadEvents dead;
    private final Views views;
    private final AuditLog audit;
    private final Clock clock;
    private final ExecutorService worker = Executors.newSingleThreadExecutor(new DaemonThreadFactory("outbox-bulk-"));
    private final Deque<BulkJob> jobs = new ArrayDeque<>();

    BulkApi(DeadEvents dead, Views views, AuditLog audit, Clock clock) {
        this.dead = dead;
        this.views = views;
        this.audit = audit;
        this.clock = clock;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/bulk", exchange -> AdminResponse.json(200, new Views.Items<>(views())))
                .get(
                        api + "/bulk/{id}",
                        exchange -> AdminResponse.json(200, job(exchange).view()))
                .operate("POST", api + "/bulk", this::order, "action", "filter", "dryRun")
                .operate("DELETE", api + "/bulk/{id}", this::cancel);
    }

    private synchronized List<Views.BulkAction> views() {
        return jobs.stream().map(BulkJob::view).toList();
    }

    private synchronized BulkJob job(Exchange exchange) {
        return jobs.stream()
                .filter(job -> job.id().equals(exchange.path("id")))
                .findFirst()
                .orElseThrow(() -> Problem.notFound("This node knows of no such action"));
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
        if (dryRun) {
            return AdminResponse.json(200, new Views.Matching(number.count(), number.exact()));
        }
        BulkJob job = new BulkJob(
                new BulkJob.Order(UUID.randomUUID().toString(), action, matches, number, exchange.caller()),
                dead,
                audit,
                clock);
        add(job);
        try {
            audit.record(
                    exchange.caller(),
                    action + "-all",
                    number.count() + (number.exact() ? "" : " or more") + " events",
                    job.detail());
            worker.execute(job);
        } catch (RuntimeException e) {
            remove(job);
            throw e;
        }
        return AdminResponse.json(202, job.view());
    }

    private synchronized void remove(BulkJob job) {
        jobs.remove(job);
    }

    private synchronized void add(BulkJob job) {
        if (jobs.stream().filter(each -> !each.isFinished()).count() >= MOST_UNFINISHED) {
            throw Problem.conflict("too-many", "There are " + MOST_UNFINISHED + " actions already that wait");
        }
        jobs.addFirst(job);
        while (jobs.size() > KEPT && jobs.peekLast().isFinished()) {
            jobs.removeLast();
        }
    }

    private AdminResponse cancel(Exchange exchange) {
        BulkJob job = job(exchange);
        audit.record(exchange.caller(), "cancel", job.id(), null);
        job.cancel();
        return AdminResponse.json(202, job.view());
    }

    /** Ends the action that is under way after its current batch, and waits for that for a while. */
    @Override
    public void close() {
        synchronized (this) {
            jobs.forEach(BulkJob::cancel);
        }
        worker.shutdown();
        try {
            worker.awaitTermination(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
