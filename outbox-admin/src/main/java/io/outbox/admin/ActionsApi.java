package io.outbox.admin;

import io.outbox.DuplicateEventException;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.DeadLetter;
import io.outbox.spi.InspectionBackend;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What operators do to single events and to delivery. */
final class ActionsApi {

    /** The header of an event that was written in place of another, which names that one. */
    static final String EDITED_FROM = "outbox_edited_from";

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
                .operate("POST", api + "/events/{id}/edit", this::edit)
                .operate("POST", api + "/delivery/pause", exchange -> delivery(exchange, "pause", outbox::pause))
                .operate("POST", api + "/delivery/resume", exchange -> delivery(exchange, "resume", outbox::resume))
                .operate("POST", api + "/types/{type}/pause", exchange -> type(exchange, "pause"))
                .operate("POST", api + "/types/{type}/resume", exchange -> type(exchange, "resume"));
    }

    private AdminResponse one(Exchange exchange, Action action) {
        String id = exchange.anyId();
        return audit.during(exchange.caller(), action.word(), id, null, () -> {
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

    /** Writes an event with another payload, under an id of its own; the letter stays as it was and is RESOLVED. */
    private AdminResponse edit(Exchange exchange) {
        String id = exchange.anyId();
        Map<String, Object> body = exchange.body();
        String payload = Exchange.text(body, "payload");
        if (payload == null) {
            throw Problem.invalid("payload", "must be given");
        }
        DeadLetter letter = dead.letter(id);
        EventEnvelope replacement = replacement(letter, payload);
        String detail = "written again as " + replacement.eventId();
        return audit.during(exchange.caller(), "edit", id, detail, () -> replace(id, replacement, exchange.caller()));
    }

    private AdminResponse replace(String id, EventEnvelope replacement, Caller caller) {
        try {
            DeadEvents.requireMade(dead.queue().replace(id, replacement, caller.name()));
            return AdminResponse.json(201, Map.of("id", replacement.eventId()));
        } catch (DuplicateEventException e) {
            throw Problem.conflict("id-taken", "The outbox has an event with the id of the new one", Map.of());
        }
    }

    private static EventEnvelope replacement(DeadLetter letter, String payload) {
        Map<String, String> headers =
                new LinkedHashMap<>(Views.headers(letter.event().headersJson()));
        headers.keySet().removeIf(name -> name.startsWith("__"));
        headers.put(EDITED_FROM, letter.eventId());
        if (payload.getBytes(StandardCharsets.UTF_8).length > EventEnvelope.MAX_PAYLOAD_BYTES) {
            throw Problem.invalid("payload", "must have at most " + EventEnvelope.MAX_PAYLOAD_BYTES + " bytes");
        }
        try {
            EventEnvelope.Builder builder = EventEnvelope.builder(letter.event().eventType())
                    .headers(headers)
                    .payloadJson(payload);
            if (letter.event().aggregateType() != null) {
                builder.aggregateType(letter.event().aggregateType());
            }
            return builder.aggregateId(letter.event().aggregateId())
                    .tenantId(letter.event().tenantId())
                    .build();
        } catch (IllegalArgumentException | NullPointerException e) {
            throw Problem.invalid("payload", "does not make an event with what the letter has otherwise");
        }
    }

    private AdminResponse delivery(Exchange exchange, String action, Runnable change) {
        return audit.during(exchange.caller(), action, "all delivery of this node", null, () -> change(change));
    }

    private AdminResponse type(Exchange exchange, String action) {
        String type = exchange.path().get("type");
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
            throw Problem.conflict("not-delivering", "This node delivers nothing", Map.of());
        }
    }
}
