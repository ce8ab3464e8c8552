package io.outbox.admin;

import io.outbox.EventEnvelope;
import io.outbox.spi.InspectionBackend;
import java.util.List;
import java.util.Map;

/** What operators do to single events. */
final class ActionsApi {

    private final DeadEvents dead;
    private final InspectionBackend inspection;
    private final AuditLog audit;

    ActionsApi(DeadEvents dead, InspectionBackend inspection, AuditLog audit) {
        this.dead = dead;
        this.inspection = inspection;
        this.audit = audit;
    }

    void addTo(Routes routes, String api) {
        routes.operate("POST", api + "/events/{id}/replay", exchange -> one(exchange, Action.REPLAY))
                .operate("POST", api + "/events/{id}/resolve", exchange -> one(exchange, Action.RESOLVE))
                .operate("POST", api + "/events/{id}/delete", exchange -> one(exchange, Action.DELETE))
                .operate("POST", api + "/events/{id}/release", this::release)
                .operate("POST", api + "/events/{id}/edit", this::edit, "payload");
    }

    private AdminResponse one(Exchange exchange, Action action) {
        String id = exchange.anyId();
        return audit.during(exchange.caller(), action.toString(), id, null, () -> {
            action.apply(dead, List.of(id), exchange.caller());
            return AdminResponse.noContent();
        });
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
        EventEnvelope replacement = Replacement.of(dead.find(id), payload);
        String detail = "written again as " + replacement.eventId();
        return audit.during(exchange.caller(), "edit", id, detail, () -> {
            dead.replace(id, replacement, exchange.caller());
            return AdminResponse.json(201, new Views.Written(replacement.eventId()));
        });
    }
}
