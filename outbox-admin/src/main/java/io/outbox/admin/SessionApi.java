package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.dead.DeadEventOperations;
import io.outbox.spi.DeadEventCapability;

/** What the dashboard has to know before it shows anything: who looks at it, and what there is to be seen. */
final class SessionApi {

    private final Outbox outbox;
    private final DeadEventOperations events;
    private final PayloadMask mask;
    private final String traceUrl;
    private final Membership membership;

    /** Where traces are shown may be {@code null}. */
    SessionApi(Outbox outbox, DeadEventOperations events, PayloadMask mask, String traceUrl, Membership membership) {
        this.outbox = outbox;
        this.membership = membership;
        this.events = events;
        this.mask = mask;
        this.traceUrl = traceUrl;
    }

    void addTo(Routes routes, String api) {
        routes.getWithoutStore(api + "/session", exchange -> AdminResponse.json(200, session(exchange.caller())));
    }

    private Views.Session session(Caller caller) {
        return new Views.Session(
                caller.name(),
                caller.may(Role.OPERATE) ? Role.OPERATE : Role.READ,
                outbox.blockedKeys().isPresent(),
                events.supports(DeadEventCapability.QUEUE),
                events.supports(DeadEventCapability.RESOLVE),
                events.supports(DeadEventCapability.HISTORY),
                mask != PayloadMask.NONE,
                traceUrl,
                membership.member().name(),
                membership.isShared(),
                membership.problem());
    }
}
