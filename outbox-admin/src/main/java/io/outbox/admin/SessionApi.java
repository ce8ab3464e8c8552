package io.outbox.admin;

import java.util.LinkedHashMap;
import java.util.Map;

/** What the dashboard has to know before it shows anything: who looks at it, and what there is to be seen. */
final class SessionApi {

    private final DeadEvents dead;
    private final PayloadMask mask;
    private final String traceUrl;

    /** Where traces are shown may be {@code null}. */
    SessionApi(DeadEvents dead, PayloadMask mask, String traceUrl) {
        this.dead = dead;
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
        view.put("deadLetters", dead.hasQueue());
        view.put("masked", mask != PayloadMask.NONE);
        view.put("traceUrl", traceUrl);
        return view;
    }
}
