package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;

/** Pauses and resumes delivery, of everything or of a type, on all nodes or on one. */
final class DeliveryApi {

    private final Outbox outbox;
    private final Member member;
    private final AuditLog audit;

    DeliveryApi(Outbox outbox, Member member, AuditLog audit) {
        this.outbox = outbox;
        this.member = member;
        this.audit = audit;
    }

    void addTo(Routes routes, String api) {
        for (String scope : new String[] {"", "/nodes/{node}"}) {
            for (String what : new String[] {"/delivery", "/types/{type}"}) {
                routes.operate("POST", api + scope + what + "/pause", this::pause)
                        .operate("POST", api + scope + what + "/resume", this::resume);
            }
        }
    }

    /** What is paused or resumed, and where; both may be {@code null} for all. */
    private record Scope(String eventType, String node) {

        @Override
        public String toString() {
            return (eventType == null ? "all delivery" : eventType)
                    + (node == null ? " of all nodes" : " of node " + node);
        }
    }

    private Scope scope(Exchange exchange) {
        String type = exchange.path("type");
        if (outbox.state() == State.CLOSED) {
            throw Problem.conflict("not-delivering", "The outbox of this node is closed");
        }
        if (type != null && !outbox.lanes().containsKey(type) && outbox.state() != State.WRITER_ONLY) {
            throw Problem.notFound("No event type of this name has its own lane");
        }
        String node = exchange.path("node");
        boolean isKnown = node == null
                || member.cluster().nodes().stream()
                        .anyMatch(each -> each.name().equals(node))
                || member.pauses().read().pauses().stream().anyMatch(pause -> node.equals(pause.node()));
        if (!isKnown) {
            throw Problem.notFound("There is no node of this name");
        }
        return new Scope(type, node);
    }

    private AdminResponse pause(Exchange exchange) {
        Scope scope = scope(exchange);
        return audit.during(exchange.caller(), "pause", scope.toString(), null, () -> {
            member.pauses().pause(scope.eventType, scope.node, exchange.caller().name());
            member.look();
            return AdminResponse.noContent();
        });
    }

    private AdminResponse resume(Exchange exchange) {
        Scope scope = scope(exchange);
        return audit.during(exchange.caller(), "resume", scope.toString(), null, () -> {
            member.pauses().resume(scope.eventType, scope.node);
            member.look();
            if (member.isPaused(scope.eventType, scope.node)) {
                throw Problem.conflict("paused-on-all", "This is paused on all nodes: resume it on all");
            }
            member.resumeHere(scope.eventType, scope.node);
            return AdminResponse.noContent();
        });
    }
}
