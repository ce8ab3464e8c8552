package io.outbox.admin;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.spi.InspectionBackend;
import java.util.List;
import java.util.Map;

/** What operators do to single events and to delivery. */
final class ActionsApi {

    private final Outbox outbox;
    private final DeadEvents dead;
    private final InspectionBackend inspection;
    private final AuditLog audit;

    ActionsApi(Outbox outbox, DeadEvents dead, InspectionBackend inspection, AuditLog audit) {
        this.outbox = outbox;
        this.dead = dead;
        this.inspection = inspection;
        this.audit = audit;
    }

    void addTo(Routes routes, String api) {
        routes.operate("POST", api + "/events/{id}/replay", exchange -> one(exchange, Action.REPLAY))
                .operate("POST", api + "/events/{id}/resolve", exchange -> one(exchange, Action.RESOLVE))
                .operate("POST", api + "/events/{id}/delete", exchange -> one(exchange, Action.DELETE))
                .operate("POST", api + "/events/{id}/release", this::release)
                .operate("POST", api + "/events/{id}/edit", this::edit, "payload")
                .operate("POST", api + "/delivery/pause", exchange -> delivery(exchange, "pause", outbox::pause))
                .operate("POST", api + "/delivery/resume", exchange -> delivery(exchange, "resume", outbox::resume))
                .operate("POST", api + "/types/{type}/pause", exchange -> type(exchange, "pause"))
                .operate("POST", api + "/types/{type}/resume", exchange -> type(exchange, "resume"));
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

    private AdminResponse delivery(Exchange exchange, String action, Runnable change) {
        return audit.during(exchange.caller(), action, "all delivery of this node", null, () -> change(change));
    }

    private AdminResponse type(Exchange exchange, String action) {
        String type = exchange.path("type");
        if (!outbox.lanes().containsKey(type)) {
            throw Problem.notFound("No event type of this name has a lane of its own");
        }
        Runnable change = action.equals("pause") ? () -> outbox.pause(type) : () -> outbox.resume(type);
        return audit.during(exchange.caller(), action, type, null, () -> change(change));
    }

    private static AdminResponse change(Runnable change) {
        try {
            change.run();
            return AdminResponse.noContent();
        } catch (IllegalStateException e) {
            throw Problem.conflict("not-delivering", "This node delivers nothing");
        }
    }
}
