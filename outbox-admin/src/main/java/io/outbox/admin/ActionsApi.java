package io.outbox.admin;

import io.outbox.EventEnvelope;
import io.outbox.spi.InspectionBackend;
import java.util.List;
import java.util.Map;

/** What operators do to single events, and to those that they have chosen one by one. */
final class ActionsApi {

    private final Operations operations;
    private final InspectionBackend inspection;
    private final AuditLog audit;

    ActionsApi(Operations operations, InspectionBackend inspection, AuditLog audit) {
        this.operations = operations;
        this.inspection = inspection;
        this.audit = audit;
    }

    void addTo(Routes routes, String api) {
        for (Action action : Action.values()) {
            routes.operate("POST", api + "/events/{id}/" + action, exchange -> one(exchange, action));
        }
        routes.operate("POST", api + "/events/{id}/release", this::release)
                .operate("POST", api + "/events/{id}/edit", this::edit, "payload")
                .operate("POST", api + "/events/actions", this::chosen, "action", "ids");
    }

    private AdminResponse one(Exchange exchange, Action action) {
        String id = exchange.anyId();
        return audit.during(exchange.caller(), action.toString(), id, null, () -> {
            action.apply(operations, List.of(id), exchange.caller());
            return AdminResponse.noContent();
        });
    }

    /** Does it to each event by itself: what cannot be done to one is no reason to leave the others. */
    private AdminResponse chosen(Exchange exchange) {
        Map<String, Object> body = exchange.body();
        Action action = Exchange.choice("action", body.get("action"), Action.class);
        List<String> ids = Exchange.anyIds(body);
        if (action == Action.RESOLVE) {
            operations.dead().requireResolve();
        }
        return audit.during(
                exchange.caller(),
                action.toString(),
                DlqApi.target(ids),
                DlqApi.detail(ids),
                () -> AdminResponse.json(200, Views.Acted.of(action.applyToEach(operations, ids, exchange.caller()))));
    }

    private AdminResponse release(Exchange exchange) {
        String id = exchange.anyId();
        return audit.during(exchange.caller(), "release", id, null, () -> {
            if (inspection.release(List.of(id)) == 0) {
                throw Problem.missing(List.of(id));
            }
            return AdminResponse.noContent();
        });
    }

    /** Writes an event with another payload, under an id of its own; the dead one is settled, and stays as it was. */
    private AdminResponse edit(Exchange exchange) {
        String id = exchange.anyId();
        Map<String, Object> body = exchange.largeBody();
        String payload = Exchange.text(body, "payload");
        if (payload == null) {
            throw Problem.invalid("payload", "must be given");
        }
        EventEnvelope replacement = Replacement.of(operations.dead().find(id), payload);
        String detail = "written again as " + replacement.eventId();
        return audit.during(exchange.caller(), "edit", id, detail, () -> {
            operations.dead().replace(id, replacement, exchange.caller());
            return AdminResponse.json(201, new Views.Written(replacement.eventId()));
        });
    }
}
