package io.outbox.admin;

import io.outbox.dead.DeadEventOperations;
import io.outbox.spi.DeadEventCapability;
import java.util.LinkedHashMap;
import java.util.Map;

/** What the dashboard has to know before it shows anything: who looks at it, and what there is to be seen. */
final class SessionApi {

    private final DeadEventOperations events;
    private final PayloadMask mask;
    private final String traceUrl;

    /** Where traces are shown may be {@code null}. */
    SessionApi(DeadEventOperations events, PayloadMask mask, String traceUrl) {
        this.events = events;
        this.mask = mask;
        this.traceUrl = traceUrl;
    }

    void addTo(Routes routes, String api) {
        routes.get(api + "/session", exchange -> AdminResponse.json(200, session(exchange.caller())));
    }

    private Map<String, Object> session(Caller caller) {
        Map<String, Object> view = new LinkedHashMap<>();
        view.put("name", caller.name());
        view.put("role", caller.may(Role.OPERATE) ? Role.OPERATE : Role.READ);
        view.put("deadLetters", events.supports(DeadEventCapability.QUEUE));
        view.put("canResolve", events.supports(DeadEventCapability.RESOLVE));
        view.put("hasHistory", events.supports(DeadEventCapability.HISTORY));
        view.put("masked", mask != PayloadMask.NONE);
        view.put("traceUrl", traceUrl);
        return view;
    }
}
