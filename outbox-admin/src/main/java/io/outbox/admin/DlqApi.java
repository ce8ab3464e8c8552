package io.outbox.admin;

import io.outbox.dead.DeadLetterQueue;
import io.outbox.model.DeadLetter;
import io.outbox.model.DlqStatus;
import io.outbox.spi.DeadLetterFilter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Dead letters below {@value #PATH}: read by batch number, and changed one by one or together. */
final class DlqApi {

    static final String PATH = "/api/outbox-dlq/events";

    private static final int LEAST_BATCH = 10;
    private static final int MOST_BATCH = 100;
    private static final int DEFAULT_BATCH = 50;
    private static final int AT_A_TIME = 5;

    /** Where batches end: a batch is found by passing all letters before it. */
    static final int MOST_LISTED = 50_000;

    private final DeadEvents dead;
    private final Views views;
    private final AuditLog audit;
    private final StoreReads reads;

    DlqApi(DeadEvents dead, Views views, AuditLog audit, StoreReads reads) {
        this.dead = dead;
        this.views = views;
        this.audit = audit;
        this.reads = reads;
    }

    void addTo(Routes routes) {
        routes.get(PATH, this::list, "status", "batchNumber", "batchSize")
                .get(PATH + "/count", this::count, "status")
                .get(PATH + "/{id}", this::one)
                .operate("PATCH", PATH, this::changeAll, "ids", "status")
                .operate("PATCH", PATH + "/{id}", this::change, "status")
                .operate("DELETE", PATH, this::deleteAll, "ids")
                .operate("DELETE", PATH + "/{id}", this::delete);
    }

    private AdminResponse one(Exchange exchange) {
        return AdminResponse.json(200, views.letter(letter(exchange.id())));
    }

    private DeadLetter letter(String id) {
        return dead.queue().find(id).orElseThrow(() -> Problem.missing(List.of(id)));
    }

    private AdminResponse list(Exchange exchange) {
        DlqStatus status = exchange.choice("status", DlqStatus.class);
        int size = exchange.number("batchSize", DEFAULT_BATCH, LEAST_BATCH, MOST_BATCH);
        long first = (long) exchange.number("batchNumber", 0, 0, Integer.MAX_VALUE) * size;
        DeadLetterQueue queue = dead.queue();
        if (first > MOST_LISTED && !isBehindTheLast(queue, status)) {
            throw Problem.invalid("batchNumber", "must be at most " + MOST_LISTED / size + " for batches of " + size);
        }
        List<String> ids = first > MOST_LISTED ? List.of() : queue.listIds(status, first, size);
        return AdminResponse.json(200, out -> write(queue, ids, out));
    }

    private static boolean isBehindTheLast(DeadLetterQueue queue, DlqStatus status) {
        return queue.count(DeadLetterFilter.of(status, null, null)).exact();
    }

    /** Writes a few letters at a time: the payloads of all together may be larger than the heap. */
    private void write(DeadLetterQueue queue, List<String> ids, OutputStream out) throws IOException {
        char separator = '[';
        for (int i = 0; i < ids.size(); i += AT_A_TIME) {
            List<String> some = ids.subList(i, Math.min(ids.size(), i + AT_A_TIME));
            List<DeadLetter> letters = new ArrayList<>(reads.readMore(() -> queue.find(some)));
            letters.sort(Comparator.comparingInt(letter -> some.indexOf(letter.eventId())));
            for (DeadLetter letter : letters) {
                out.write(separator);
                out.write(Json.bytes(views.letter(letter)));
                separator = ',';
            }
        }
        out.write((separator == '[' ? "[]" : "]").getBytes(StandardCharsets.US_ASCII));
    }

    private AdminResponse count(Exchange exchange) {
        DlqStatus status = exchange.choice("status", DlqStatus.class);
        return AdminResponse.json(200, Views.Count.of(dead.queue().count(DeadLetterFilter.of(status, null, null))));
    }

    private AdminResponse change(Exchange exchange) {
        String id = exchange.id();
        return change(exchange, List.of(id), exchange.body());
    }

    private AdminResponse changeAll(Exchange exchange) {
        Map<String, Object> body = exchange.body();
        return change(exchange, Exchange.ids(body), body);
    }

    private AdminResponse change(Exchange exchange, List<String> ids, Map<String, Object> body) {
        DlqStatus status = Exchange.choice("status", body.get("status"), DlqStatus.class);
        dead.queue();
        if (status == DlqStatus.IN_PROCESS) {
            throw Problem.invalid("status", "must not be IN_PROCESS, which only a transfer sets");
        }
        if (status == DlqStatus.MOVED) {
            throw Problem.conflict("illegal-transition", "No letter can be made MOVED");
        }
        String action = status == DlqStatus.TO_RETRY ? "replay" : "resolve";
        return audit.during(exchange.caller(), action, target(ids), detail(ids), () -> {
            dead.changeLetters(ids, status, exchange.caller());
            return AdminResponse.noContent();
        });
    }

    private AdminResponse delete(Exchange exchange) {
        return delete(exchange, List.of(exchange.id()));
    }

    private AdminResponse deleteAll(Exchange exchange) {
        return delete(exchange, Exchange.ids(exchange.body()));
    }

    private AdminResponse delete(Exchange exchange, List<String> ids) {
        dead.queue();
        return audit.during(exchange.caller(), "delete", target(ids), detail(ids), () -> {
            dead.deleteLetters(ids);
            return AdminResponse.noContent();
        });
    }

    static String target(List<String> ids) {
        return ids.size() == 1 ? ids.get(0) : ids.size() + " events";
    }

    static String detail(List<String> ids) {
        return ids.size() == 1 ? null : String.join(" ", ids);
    }
}
