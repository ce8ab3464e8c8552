package io.outbox.admin;

import io.outbox.dispatch.LanePolicy;
import io.outbox.model.DlqStatus;
import io.outbox.model.EventStatus;
import io.outbox.model.FailedAttempt;
import io.outbox.model.FailureText;
import io.outbox.model.InspectedEvent;
import io.outbox.model.NodeLocks;
import io.outbox.model.OpenEvents;
import io.outbox.model.OutboxEvent;
import io.outbox.model.OutboxStatus;
import io.outbox.model.Tally;
import io.outbox.model.UnavailableTarget;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is served: one record for each kind of object, whose components are the fields. {@code openapi.json} describes
 * the same, and a test compares both.
 */
final class Views {

    private static final String RESERVED = "__";
    private static final String ENCODING = "__payload_encoding";

    private final PayloadMask mask;

    Views(PayloadMask mask) {
        this.mask = mask;
    }

    // Events

    /** What an event is about. */
    record Identity(
            String id,
            @Json.Nullable String eventType,
            @Json.Nullable String aggregateType,
            @Json.Nullable String aggregateId,
            @Json.Nullable String tenantId)
            implements Json.Part {

        static Identity of(OutboxEvent event) {
            return new Identity(
                    event.eventId(), event.eventType(), event.aggregateType(), event.aggregateId(), event.tenantId());
        }
    }

    /** What an event carries. */
    record Content(
            @Json.Nullable String payload, @Json.Nullable String payloadEncoding, Map<String, String> headers)
            implements Json.Part {}

    private Content content(OutboxEvent event) {
        Map<String, String> headers = headers(event.headersJson());
        String encoding = headers.get(ENCODING);
        headers.keySet().removeIf(name -> name.startsWith(RESERVED));
        return new Content(mask.payload(event, event.payloadJson()), encoding, mask.headers(event, headers));
    }

    /** An event of the outbox in a list. */
    record EventSummary(
            Identity event,
            EventStatus status,
            int attempts,
            @Json.Nullable String error,
            Instant createdAt,
            Instant availableAt,
            @Json.Nullable Instant doneAt,
            @Json.Nullable String lockedBy,
            @Json.Nullable Instant lockedAt)
            implements Json.Part {}

    EventSummary summary(InspectedEvent inspected) {
        InspectedEvent.Lock lock = inspected.lock();
        return new EventSummary(
                Identity.of(inspected.event()),
                inspected.status(),
                inspected.status() == EventStatus.DEAD
                        ? attempts(inspected.event(), inspected.lastError())
                        : inspected.event().attempts(),
                error(inspected.event().eventType(), inspected.lastError()),
                inspected.event().createdAt(),
                inspected.event().availableAt(),
                inspected.doneAt(),
                lock == null ? null : lock.node(),
                lock == null ? null : lock.since());
    }

    /** A dead event in a list. */
    record DeadLetterSummary(
            Identity event,
            DlqStatus status,
            int attempts,
            @Json.Nullable String error,
            String fingerprint,
            Instant createdAt,
            @Json.Nullable Instant firstFailedAt,
            @Json.Nullable Instant lastFailedAt,
            @Json.Nullable Instant movedAt,
            @Json.Nullable Instant updatedAt,
            @Json.Nullable String updatedBy)
            implements Json.Part {}

    DeadLetterSummary summary(io.outbox.model.DeadLetter letter) {
        return new DeadLetterSummary(
                Identity.of(letter.event()),
                letter.status(),
                attempts(letter.event(), letter.failure().error()),
                error(letter.event().eventType(), letter.failure().error()),
                letter.failure().fingerprint(),
                letter.event().createdAt(),
                letter.failure().firstAt(),
                letter.failure().lastAt(),
                letter.state().movedAt(),
                letter.state().updatedAt(),
                letter.state().updatedBy());
    }

    /** Returns how often a dead event was tried; the row does not count an attempt that ends all others. */
    private static int attempts(OutboxEvent dead, String error) {
        return Math.max(dead.attempts(), FailureText.of(error).attemptsMade());
    }

    /** A dead letter with everything but its attempts. */
    record DeadLetter(DeadLetterSummary letter, Content content) {}

    DeadLetter letter(io.outbox.model.DeadLetter letter) {
        return new DeadLetter(summary(letter), content(letter.event()));
    }

    /** Where an event is. */
    enum Location {
        OUTBOX("outbox"),
        DEAD_LETTERS("dead-letters");

        private final String word;

        Location(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    /** An attempt that failed. */
    record Attempt(
            int attempt,
            Instant at,
            @Json.Nullable String node,
            @Json.Nullable String error) {}

    /** An event of the outbox with its history. */
    record EventInOutbox(Location location, EventSummary event, Content content, List<Attempt> history) {}

    /** A dead letter with its history. */
    record EventAsLetter(Location location, DeadLetterSummary letter, Content content, List<Attempt> history) {}

    EventInOutbox whole(InspectedEvent event, List<FailedAttempt> history) {
        List<FailedAttempt> known = history.isEmpty()
                ? FailureText.of(event.lastError()).history(event.event().eventId())
                : history;
        return new EventInOutbox(
                Location.OUTBOX,
                summary(event),
                content(event.event()),
                attempts(event.event().eventType(), known));
    }

    EventAsLetter whole(io.outbox.model.DeadLetter letter, List<FailedAttempt> history) {
        return new EventAsLetter(
                Location.DEAD_LETTERS,
                summary(letter),
                content(letter.event()),
                attempts(letter.event().eventType(), history));
    }

    private List<Attempt> attempts(String eventType, List<FailedAttempt> history) {
        return history.stream()
                .map(each -> new Attempt(each.attempt(), each.at(), each.node(), error(eventType, each.error())))
                .toList();
    }

    String error(String eventType, String error) {
        return error == null ? null : mask.error(eventType, error);
    }

    /** Returns whether something is hidden, so that nobody may search for it. */
    boolean isMasked() {
        return mask != PayloadMask.NONE;
    }

    /** Returns how the payload is stored if not as it is, or {@code null}. */
    static String encoding(OutboxEvent event) {
        return headers(event.headersJson()).get(ENCODING);
    }

    /** Returns the headers; none if they cannot be read. */
    static Map<String, String> headers(String json) {
        Map<String, String> headers = new LinkedHashMap<>();
        if (json != null && !json.isBlank()) {
            try {
                Json.object(json.getBytes(StandardCharsets.UTF_8))
                        .forEach((name, value) -> headers.put(name, value == null ? null : value.toString()));
            } catch (Problem e) {
                headers.clear();
            }
        }
        return headers;
    }

    /** Events that failed alike. */
    record FailureGroup(
            @Json.Nullable String eventType,
            String fingerprint,
            long count,
            boolean exact,
            @Json.Nullable Instant firstSeen,
            @Json.Nullable Instant lastSeen,
            @Json.Nullable String error,
            @Json.Nullable Long lately) {}

    FailureGroup group(io.outbox.model.FailureGroup group) {
        return new FailureGroup(
                group.eventType(),
                group.fingerprint(),
                group.count(),
                group.exact(),
                group.firstAt(),
                group.lastAt(),
                error(group.eventType(), group.error()),
                group.lately());
    }

    // Lists and numbers

    /** Everything that there is of a kind. */
    record Items<T>(List<T> items) {}

    /** Some of what there is, and where to go on. */
    record Page<T>(List<T> items, @Json.Nullable String next) {}

    /** How many letters there are; whether that is exact is said only if it is not. */
    record Count(long count, @Json.Optional Boolean exact) {

        static Count of(Tally tally) {
            return new Count(tally.count(), tally.exact() ? null : false);
        }
    }

    /** What a dry run counted. */
    record Matching(long matches, boolean exact) {}

    /** What became of an action on events that were chosen one by one. */
    record Acted(long done, List<Skipped> skipped) {

        static Acted of(Action.Done done) {
            return new Acted(
                    done.count(),
                    done.skipped().entrySet().stream()
                            .map(each -> new Skipped(each.getKey(), each.getValue()))
                            .toList());
        }
    }

    /** An event that an action was not done to. */
    record Skipped(String id, String why) {}

    /** An event that was written. */
    record Written(String id) {}

    // Figures

    /** How the outbox fares, on all nodes, as the node that answers knows it. */
    record Overview(
            Instant at,
            String node,
            OutboxStatus.State state,
            NodeCounts nodes,
            Map<EventStatus, Integer> counts,
            int countsStopAt,
            @Json.Nullable Map<DlqStatus, Long> deadLetters,
            long lagMs,
            Queues queues,
            @Json.Nullable Double donePerSecond,
            List<Pending> pending,
            boolean pendingExact,
            List<Unavailable> unavailable,
            List<Pause> pauses,
            List<String> pausedTypes,
            List<String> databaseAdvice) {}

    /** How many nodes there are. */
    record NodeCounts(int up, int silent, int paused) {}

    /** What operators have paused: a type or all delivery, on a node or on all. */
    record Pause(
            @Json.Nullable String eventType, @Json.Nullable String node, String by, Instant at) {

        static Pause of(Pauses.Pause pause) {
            return new Pause(pause.eventType(), pause.node(), pause.by(), pause.at());
        }
    }

    record Queues(int hot, int cold) {}

    /** Events of a type that are due. */
    record Pending(String eventType, long count, Instant oldestDueAt) {

        static Pending of(OpenEvents type) {
            return new Pending(type.eventType(), type.due(), type.dueSince());
        }
    }

    /** A target that cannot be reached. */
    record Unavailable(String eventType, Instant since, String cause) {}

    Unavailable unavailable(UnavailableTarget target) {
        return new Unavailable(target.eventType(), target.since(), mask.error(target.eventType(), target.cause()));
    }

    /** What was done in some time; nothing but the number of nodes is known where none has reported. */
    record Slot(
            Instant at,
            int nodes,
            long seconds,
            @Json.Nullable Long done,
            @Json.Nullable Long failed,
            @Json.Nullable Long dead,
            @Json.Nullable Long p50Ms,
            @Json.Nullable Long p95Ms,
            @Json.Nullable Long p99Ms,
            @Json.Nullable Long lagMs,
            @Json.Nullable Integer hotQueue,
            @Json.Nullable Integer coldQueue) {}

    /** What was done, how long a slot is, and which types failed most in all that time. */
    record Series(long slotMs, List<Slot> items, List<Failing> failing) {}

    /** A type and its failed attempts, and the events that died of them. */
    record Failing(String eventType, long failed, long dead) {}

    /** What changes all the time. */
    record Live(Overview overview) {}

    /** Whether a node was heard of lately. */
    enum NodeState {
        UP,
        SILENT,
        /** It has events in hand and tells nothing of itself. */
        UNKNOWN
    }

    /** A node, and what it has in hand. */
    record Node(
            String node,
            @Json.Nullable String id,
            NodeState state,
            boolean answers,
            @Json.Nullable NodeDetail detail,
            @Json.Nullable NodeHolds holds) {}

    /** What a node says of itself. */
    record NodeDetail(
            @Json.Nullable String host,
            @Json.Nullable String version,
            Instant startedAt,
            long silentMs,
            @Json.Nullable String delivery,
            List<String> pausedTypes,
            int hotQueue,
            int coldQueue,
            @Json.Nullable Double donePerSecond,
            @Json.Nullable Long clockOffMs,
            boolean sameName) {}

    /** The events that a node has locked. */
    record NodeHolds(
            long events,
            Instant oldestLock,
            Instant newestLock,
            @Json.Nullable Instant expiresAt) {

        /** The time after which locks are taken over may be {@code null}. */
        static NodeHolds of(NodeLocks locks, Duration timeout) {
            return new NodeHolds(
                    locks.events(),
                    locks.oldest(),
                    locks.newest(),
                    timeout == null ? null : locks.oldest().plus(timeout));
        }
    }

    /** An event type and how it is delivered. */
    record Type(
            String eventType,
            long pending,
            long inProcess,
            @Json.Nullable Instant oldestDueAt,
            @Json.Nullable Lane lane,
            @Json.Nullable Retries retries,
            boolean paused,
            @Json.Nullable PausedOn pausedOn,
            @Json.Nullable Unavailable unavailable,
            @Json.Nullable Rates rates) {}

    /** On how many of the nodes that deliver something is paused. */
    record PausedOn(int nodes, int of) {}

    /**
     * How a type fared in the last minutes, on all nodes; when nothing is left is as far as nothing new comes.
     *
     * @param minutes those of the last half hour of which something is known, the oldest first
     */
    record Rates(
            double donePerSecond,
            double failedPerMinute,
            @Json.Nullable Long p50Ms,
            @Json.Nullable Long p95Ms,
            @Json.Nullable Long p99Ms,
            @Json.Nullable Long emptyInMs,
            List<Minute> minutes) {}

    /** What was delivered in a minute that began so many minutes ago. */
    record Minute(int ago, long done) {}

    /** All event types that are known. */
    record Types(List<Type> items, boolean exact) {}

    record Lane(int batchSize, int maxAttempts, int concurrency, int maxPerSecond, int queueCapacity) {

        static Lane of(LanePolicy policy) {
            return new Lane(
                    policy.batchSize(),
                    policy.maxAttempts(),
                    policy.concurrency(),
                    policy.maxPerSecond(),
                    policy.queueCapacity());
        }
    }

    record Retries(int maxAttempts, String delays) {

        static Retries of(LanePolicy policy) {
            return new Retries(policy.maxAttempts(), policy.retryPolicy().describe());
        }
    }

    // Operators

    /** What somebody did. */
    record AuditEntry(
            String id,
            Instant at,
            String who,
            String action,
            String target,
            @Json.Nullable String detail) {

        static AuditEntry of(io.outbox.model.AuditEntry entry) {
            return new AuditEntry(entry.id(), entry.at(), entry.who(), entry.action(), entry.target(), entry.detail());
        }
    }

    /** An action on all events that match. */
    record BulkAction(
            String id,
            Action action,
            BulkJob.State state,
            String by,
            @Json.Nullable String node,
            boolean cancelling,
            long expected,
            boolean expectedExact,
            long done,
            long skipped,
            @Json.Nullable Integer perSecond,
            Instant createdAt,
            @Json.Nullable Instant finishedAt) {}

    /** A key that an event blocks that has failed for good, and how many events wait behind that. */
    record BlockedKey(
            String key,
            String eventId,
            String eventType,
            int attempts,
            @Json.Nullable String error,
            Instant createdAt,
            @Json.Nullable Instant since,
            int waiting,
            boolean waitingExact) {}

    /** A page of blocked keys, and how many there are in all. */
    record BlockedKeys(
            List<BlockedKey> items, @Json.Nullable String next, int keys, int waiting, boolean exact) {}

    /** Who looks, and what there is to be seen. */
    record Session(
            String name,
            Role role,
            boolean orderedByKey,
            boolean deadLetters,
            boolean canResolve,
            boolean hasHistory,
            boolean masked,
            @Json.Nullable String traceUrl,
            String node,
            boolean cluster,
            @Json.Nullable String clusterProblem) {}

    /** A value that breaks a rule. */
    record Field(String field, String message) {}

    /** An answer that is not what was asked for. */
    record ProblemDetail(
            String type,
            String title,
            int status,
            String detail,
            String instance,
            @Json.Optional List<Field> fields,
            @Json.Optional List<String> missing,
            @Json.Optional Map<String, DlqStatus> states) {}
}
