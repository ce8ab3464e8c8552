package io.outbox.admin;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Decides who a request is from, and whether it may do what it asks for.
 *
 * <p>Whoever was authenticated by the server or a framework has the roles that it says. Else a token, if there is one,
 * decides. Else only this machine is served, if it asks for it by a name of its own: a page of another site, or one
 * whose name was made to point here, does not pass, and neither does what comes through a proxy that says so. Where
 * there is a proxy in any case, what a request says of its origin is anybody's word, and nobody is served so.
 *
 * <p>A request must not come from a page of another site, even if it only reads: that would cost the database and use
 * up the live streams. A link to the dashboard may. Browsers say where a request comes from; other programs, which hold
 * no cookies of the caller's, need not.
 */
final class Access {

    private static final String LOOPBACK = "(localhost|127(\\.\\d{1,3}){3}|\\[::1])(:\\d+)?";
    private static final Pattern LOOPBACK_HOST = Pattern.compile("(?i)" + LOOPBACK);
    private static final Pattern LOOPBACK_ORIGIN = Pattern.compile("(?i)https?://" + LOOPBACK);
    private static final Pattern HEADER_OF_PROXIES = Pattern.compile(
            "(?i)forwarded|x-forwarded.*|via|cdn-loop|(x-real|x-client|true-client|x-cluster-client|fastly-client|fly-client"
                    + "|cf-connecting|x-appengine-user)-ip|cf-ray|x-original-.*|x-envoy-.*|x-azure-.*|x-amz-cf-.*|l5d-.*");
    private static final String BEARER = "Bearer ";

    private final List<Token> tokens;
    private final boolean isBehindProxy;

    Access(Collection<Token> tokens, boolean isBehindProxy) {
        this.tokens = List.copyOf(tokens);
        this.isBehindProxy = isBehindProxy;
    }

    /** A token, and who has it. */
    record Token(Caller caller, String value) {

        /** Takes as long for a token that is nearly right as for any other. */
        private boolean is(String given) {
            return MessageDigest.isEqual(
                    given.getBytes(StandardCharsets.UTF_8), value.getBytes(StandardCharsets.UTF_8));
        }
    }

    boolean hasToken() {
        return !tokens.isEmpty();
    }

    /** Returns who makes the request, if they may see anything here. */
    Caller require(AdminRequest request) {
        Caller caller = caller(request);
        refuseOtherSites(request);
        require(Role.READ, caller);
        return caller;
    }

    static void require(Role role, Caller caller) {
        if (!caller.may(role)) {
            throw Problem.forbidden("role-missing", "This requires the role " + role);
        }
    }

    /**
     * Refuses who may not have the files of the dashboard. Where tokens decide, everybody may: a browser can send its
     * token only once it has them, and they say nothing of the outbox.
     */
    void requireForFiles(AdminRequest request) {
        if (!"navigate".equals(request.header("Sec-Fetch-Mode"))) {
            refuseOtherSites(request);
        }
        if (request.caller() != null || !hasToken()) {
            require(Role.READ, caller(request));
        }
    }

    private Caller caller(AdminRequest request) {
        if (request.caller() != null) {
            return request.caller();
        }
        if (hasToken()) {
            return byToken(request.header("Authorization"));
        }
        if (isBehindProxy) {
            throw Problem.forbidden(
                    "behind-proxy",
                    "Behind a proxy, every request needs a token or an authenticated user: set a token, or let the"
                            + " server authenticate users, as Spring Security does");
        }
        if (!isOfThisMachine(request)) {
            throw Problem.forbidden(
                    "loopback-only",
                    "Without a token or an authenticated user, only requests from this machine are answered");
        }
        return new Caller("loopback", Set.of(Role.OPERATE));
    }

    private static boolean isOfThisMachine(AdminRequest request) {
        String host = request.header("Host");
        String origin = request.header("Origin");
        return request.remote() != null
                && request.remote().isLoopbackAddress()
                && host != null
                && LOOPBACK_HOST.matcher(host).matches()
                && (origin == null || LOOPBACK_ORIGIN.matcher(origin).matches())
                && request.headers().keySet().stream()
                        .noneMatch(name -> HEADER_OF_PROXIES.matcher(name).matches());
    }

    private Caller byToken(String authorization) {
        if (authorization == null || !authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())) {
            throw Problem.unauthorized();
        }
        String token = authorization.substring(BEARER.length()).strip();
        return tokens.stream()
                .filter(known -> known.is(token))
                .reduce((first, second) -> second) // compares with all, whichever it is
                .map(Token::caller)
                .orElseThrow(Problem::unauthorized);
    }

    private static void refuseOtherSites(AdminRequest request) {
        String site = request.header("Sec-Fetch-Site");
        boolean isOtherSite = site != null && !site.equals("same-origin") && !site.equals("none");
        String origin = request.header("Origin");
        boolean isOtherOrigin =
                origin != null && !origin.replaceFirst("^[a-z]+://", "").equalsIgnoreCase(request.header("Host"));
        if (isOtherSite || (site == null && isOtherOrigin && !request.isRead())) {
            throw Problem.forbidden("other-site", "Requests from pages of other sites are refused");
        }
    }
}
