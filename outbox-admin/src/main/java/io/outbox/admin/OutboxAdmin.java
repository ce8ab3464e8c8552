package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.spi.InspectionBackend;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackendException;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Administration of an outbox: answers requests that an adapter of some HTTP server hands over. Thread-safe.
 *
 * <p>Without a token, and unless the server has authenticated the caller, only requests of this machine are answered.
 * Nothing is ever sent that a database driver or a stack trace says.
 */
public final class OutboxAdmin implements AutoCloseable {

    /** Where the API and the dashboard are, unless another path is given. */
    public static final String DEFAULT_BASE_PATH = "/outbox-admin";

    /** The path of dead letters, independent of the base path. */
    public static final String DLQ_PATH = "/api/outbox-dlq";

    private static final System.Logger LOG = System.getLogger(OutboxAdmin.class.getName());
    private static final String TRACE_ID = "{traceId}";
    private static final String ONLY_USERS_AND_THIS_MACHINE =
            "The administration of the outbox at {0} has no token: it answers users whom the server has"
                    + " authenticated, and otherwise only this machine. A proxy on this machine that adds no header"
                    + " looks local: set a token if there is one";
    private static final String ONLY_USERS =
            "The administration of the outbox at {0} has no token and is behind a proxy: it answers only users whom the"
                    + " server has authenticated. Set a token, or let the server authenticate users, for example with"
                    + " Spring Security";
    private static final String OPENAPI = "/META-INF/outbox-admin/openapi.json";

    private final String basePath;
    private final Access access;
    private final Routes routes = new Routes();
    private final Bodies bodies = new Bodies();
    private final StoreReads reads = new StoreReads();
    private final LargeAnswers largeAnswers = new LargeAnswers();
    private final Refusals refusals;
    private final Member member;
    private final BulkRunner bulk;
    private final LiveApi live;

    private OutboxAdmin(Builder builder) {
        this.basePath = builder.basePath;
        this.access = new Access(builder.tokens.values(), builder.isBehindProxy);
        this.refusals = new Refusals(builder.series == null ? MetricsExporter.NOOP : builder.series);
        InspectionBackend inspection = lookedInto(builder.outbox.inspection());
        inspection.prepareAudit();
        AuditLog audit = new AuditLog(inspection, builder.clock);
        DeadEvents dead = new DeadEvents(builder.outbox, lookedInto(builder.outbox.deadEventOperations()), inspection);
        Views views = new Views(builder.mask);
        Membership membership = Membership.of(builder.outbox, inspection, builder.membership());
        this.member = membership.member();
        BulkJobs jobs = new BulkJobs(member.cluster());
        Operations operations = new Operations(dead, new WaitingOperations(builder.outbox));
        Matches.Sources sources = new Matches.Sources(dead.events(), inspection);
        this.bulk = new BulkRunner(jobs, operations, sources, audit, membership, builder.clock);
        String api = basePath + "/api";
        new DlqApi(dead, views, audit, reads).addTo(routes);
        new EventsApi(dead, inspection, views).addTo(routes, api);
        new ActionsApi(operations, inspection, audit).addTo(routes, api);
        new DeliveryApi(builder.outbox, member, audit).addTo(routes, api);
        new BlockedKeysApi(builder.outbox, views, audit).addTo(routes, api);
        NodesView nodes = new NodesView(builder.outbox, inspection, member);
        FiguresApi figures = new FiguresApi(builder.outbox, inspection, views, audit, member, nodes, builder.clock);
        figures.addTo(routes, api);
        this.live = new LiveApi(figures, reads);
        live.addTo(routes, api);
        new BulkApi(operations, sources, views, audit, nodes, jobs, bulk, builder.clock).addTo(routes, api);
        new SessionApi(builder.outbox, dead.events(), builder.mask, builder.traceUrl, membership).addTo(routes, api);
        routes.getWithoutStore(
                api + "/openapi.json", exchange -> new AdminResponse(200, "application/json", Map.of(), openApi()));
        if (!access.hasToken()) {
            LOG.log(Level.INFO, builder.isBehindProxy ? ONLY_USERS : ONLY_USERS_AND_THIS_MACHINE, basePath);
        }
        member.start(bulk::wake);
    }

    private static <T> T lookedInto(Optional<T> part) {
        return part.orElseThrow(() ->
                new IllegalStateException("The store of this outbox cannot be inspected; those of outbox-jdbc can"));
    }

    /** Returns a builder for the administration of an outbox. */
    public static Builder of(Outbox outbox) {
        return new Builder(outbox);
    }

    /** Returns where the API and the dashboard are. */
    public String basePath() {
        return basePath;
    }

    /**
     * Returns how many requests were refused since this was built, by reason, such as {@code unauthorized} or {@code
     * role-missing}.
     */
    public Map<String, Long> refusals() {
        return refusals.byReason();
    }

    List<Routes.Call> calls() {
        return routes.all();
    }

    private byte[] openApi() {
        String document = new String(WebFiles.read(OPENAPI), StandardCharsets.UTF_8);
        return document.replace("\"" + DEFAULT_BASE_PATH + "/", "\"" + basePath + "/")
                .getBytes(StandardCharsets.UTF_8);
    }

    /** Answers a request. Never throws. */
    public AdminResponse handle(AdminRequest request) {
        String instance = request.target().path();
        try {
            return answer(request);
        } catch (Problem problem) {
            if (problem.isRefusal()) {
                refusals.add(request, problem);
            }
            return AdminResponse.of(problem, instance);
        } catch (OutboxBackendException e) {
            reads.failed(request, e);
            return AdminResponse.of(Problem.unavailable(), instance);
        } catch (RuntimeException | Error e) {
            LOG.log(Level.ERROR, "The administration cannot answer " + request, e);
            return AdminResponse.of(Problem.internal(), instance);
        }
    }

    private AdminResponse answer(AdminRequest request) {
        AdminResponse file = request.isRead() ? file(request) : null;
        if (file != null) {
            access.requireForFiles(request);
            return file;
        }
        Caller caller = access.require(request);
        Routes.Match match =
                routes.find(request.target().method(), segments(request.target().path()));
        Access.require(match.call().role(), caller);
        match.call().requireKnown(request);
        try (Bodies.Slot body = bodies.slot()) {
            Exchange exchange = new Exchange(request, match, caller, body);
            Routes.Handler handler = match.call().handler();
            AdminResponse response =
                    match.call().readsStore() ? reads.read(() -> handler.answer(exchange)) : handler.answer(exchange);
            return largeAnswers.admit(request, response);
        }
    }

    private AdminResponse file(AdminRequest request) {
        String path = request.target().path();
        // Addresses inside of the dashboard are relative to its own, which therefore ends with a slash.
        if (path.equals(basePath)) {
            return AdminResponse.redirect(basePath.substring(basePath.lastIndexOf('/') + 1) + "/");
        }
        return path.startsWith(basePath + "/") ? WebFiles.find(path.substring(basePath.length() + 1), request) : null;
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/")) {
            if (!segment.isEmpty()) {
                segments.add(Query.decode(segment.replace("+", "%2B")));
            }
        }
        return segments;
    }

    /** Ends all streams, and starts no more: for a server that waits for its requests when it stops. */
    public void endStreams() {
        live.close();
    }

    /**
     * Ends all streams, leaves the bulk action that is under way to other nodes after its current batch, and tells them
     * that this node stops. The outbox is not closed.
     */
    @Override
    public void close() {
        endStreams();
        bulk.close();
        member.close();
    }

    /** Builds an {@link OutboxAdmin}. Not thread-safe. */
    public static final class Builder {

        private final Outbox outbox;
        private String basePath = DEFAULT_BASE_PATH;
        private final Map<String, Access.Token> tokens = new LinkedHashMap<>();
        private boolean isBehindProxy;
        private PayloadMask mask = PayloadMask.NONE;
        private OutboxSeries series;
        private String traceUrl;
        private String nodeName;
        private boolean isAlone;
        private Member.Pace pace = Member.Pace.USUAL;
        private Clock clock = Clock.systemUTC();

        private Builder(Outbox outbox) {
            this.outbox = Objects.requireNonNull(outbox, "outbox");
        }

        /** Where the API and the dashboard are. Default: {@value OutboxAdmin#DEFAULT_BASE_PATH}. */
        public Builder basePath(String path) {
            if (!path.matches("(/[A-Za-z0-9_-]+)+")) {
                throw new IllegalArgumentException(
                        "basePath must be like /outbox-admin, of letters, digits, dashes and underscores: " + path);
            }
            this.basePath = path;
            return this;
        }

        /**
         * The token for users who may only read; the audit log shows them as {@code read-token}. Default: none.
         *
         * @throws IllegalStateException if there is a token for readers of that name already
         */
        public Builder readToken(String token) {
            return token("read-token", Role.READ, token, "readToken");
        }

        /**
         * The token of one user who may only read. Call it once for each user.
         *
         * @throws IllegalStateException if there is a token for readers of that name already
         */
        public Builder readToken(String name, String token) {
            return token(named(name), Role.READ, token, "readToken of " + name);
        }

        /**
         * The token for operators, who may do everything; the audit log shows them as {@code token}. Default: none.
         *
         * @throws IllegalStateException if there is a token for operators of that name already
         */
        public Builder operateToken(String token) {
            return token("token", Role.OPERATE, token, "operateToken");
        }

        /**
         * The token of one operator, whose name the audit log shows. Can be called for several people, each with a
         * token of their own.
         *
         * @throws IllegalStateException if there is a token for operators of that name already
         */
        public Builder operateToken(String name, String token) {
            return token(named(name), Role.OPERATE, token, "operateToken of " + name);
        }

        private static String named(String name) {
            if (name.isBlank() || name.length() > 128 || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(
                        "the name of a token must have 1 to 128 characters and no control characters: " + name);
            }
            return name;
        }

        private Builder token(String name, Role role, String token, String setting) {
            if (token.length() < 16 || token.chars().anyMatch(c -> c <= ' ' || c > '~')) {
                throw new IllegalArgumentException(
                        setting + " must have at least 16 characters, all of them visible ASCII");
            }
            Access.Token named = new Access.Token(new Caller(name, Set.of(role)), token);
            if (tokens.putIfAbsent(role + " " + name, named) != null) {
                throw new IllegalStateException(setting + ": another token has the name '" + name
                        + "' already, and the audit log could not tell them apart: choose another name");
            }
            return this;
        }

        private void requireDifferentTokens() {
            Map<String, String> names = new HashMap<>();
            tokens.values().forEach(token -> {
                String name = token.caller().name();
                String other = names.put(token.value(), name);
                if (other != null) {
                    throw new IllegalStateException("The tokens of " + other + " and " + name
                            + " are the same, so readers and operators could not be told apart: use two");
                }
            });
        }

        /**
         * States that requests come through a proxy, or that the server takes the client's address from headers.
         * Without a token, only users whom the server has authenticated get an answer then. Default: requests from this
         * machine are answered, unless their headers show that they came through a proxy.
         */
        public Builder behindProxy() {
            this.isBehindProxy = true;
            return this;
        }

        /** Masks payloads and headers. Default: everything is shown. */
        public Builder payloadMask(PayloadMask mask) {
            this.mask = Objects.requireNonNull(mask, "mask");
            return this;
        }

        /**
         * The recent figures of the outbox: the exporter that it was built with. It also counts the refused requests.
         * Default: no figures.
         */
        public Builder series(OutboxSeries series) {
            this.series = Objects.requireNonNull(series, "series");
            return this;
        }

        /**
         * The address of a trace, for example {@code https://traces.example/trace/{traceId}}: the dashboard links to it
         * from events whose headers name a trace. Default: no links.
         */
        public Builder traceUrl(String template) {
            if (!template.matches("https?://\\S+") || !template.contains(TRACE_ID)) {
                throw new IllegalArgumentException(
                        "traceUrl must be an http or https address that contains " + TRACE_ID + ": " + template);
            }
            this.traceUrl = template;
            return this;
        }

        /**
         * The name that operators know this node by; should differ between nodes. Default: the name under which it
         * locks events, and for an outbox that locks none that of the machine.
         */
        public Builder nodeName(String name) {
            if (name.isBlank() || name.length() > 128 || name.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException(
                        "nodeName must have 1 to 128 characters and no control characters: " + name);
            }
            this.nodeName = name;
            return this;
        }

        /**
         * Isolates this node: it writes nothing to the tables through which nodes know of each other, shows only
         * itself, and ignores what other nodes have paused for all. Default: it is one of the nodes on its store.
         */
        public Builder alone() {
            this.isAlone = true;
            return this;
        }

        Builder pace(Member.Pace pace) {
            this.pace = pace;
            return this;
        }

        private Membership.Settings membership() {
            return new Membership.Settings(nodeName, isAlone, series, clock, pace, mask);
        }

        /** Default: the system clock. */
        public Builder clock(Clock clock) {
            this.clock = Objects.requireNonNull(clock, "clock");
            return this;
        }

        /**
         * Builds the administration, and creates its tables where they are missing. What operators have paused is
         * paused when this returns: start the outbox afterwards if nothing of it may be delivered before.
         *
         * @throws IllegalStateException if the store of the outbox cannot be looked into, or if two tokens are the same
         */
        public OutboxAdmin build() {
            requireDifferentTokens();
            return new OutboxAdmin(this);
        }
    }
}
