package io.outbox.admin;

import io.outbox.model.AuditEntry;
import io.outbox.spi.InspectionBackend;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * What operators do. An entry is written before the action, which is not done if that fails; an action that was refused
 * or has failed has a second entry that says so, if that can be written.
 */
final class AuditLog {

    private static final System.Logger LOG = System.getLogger(AuditLog.class.getName());
    private static final String FAILED = "see the application's log; the action may have taken effect";
    private static final int LONGEST_NAME = 128;
    private static final int LONGEST_TARGET = 256;
    private static final int PART = 1_000;
    private static final int MOST_LOOKED_AT = 5_000;

    private final InspectionBackend backend;
    private final Clock clock;
    private final AtomicLong last = new AtomicLong();
    private final String node = UUID.randomUUID().toString().substring(0, 8);

    AuditLog(InspectionBackend backend, Clock clock) {
        this.backend = backend;
        this.clock = clock;
    }

    /** Writes an entry, does what it says, and writes another one if that was refused or has failed. */
    <T> T during(Caller caller, String action, String target, String detail, Supplier<T> work) {
        record(caller, action, target, detail);
        try {
            return work.get();
        } catch (Problem e) {
            recordOutcome(caller, action + "-refused", target, e.getMessage());
            throw e;
        } catch (RuntimeException | Error e) {
            recordOutcome(caller, action + "-failed", target, FAILED);
            throw e;
        }
    }

    /** Writes what became of an action, which stands whether or not that can be written. */
    void recordOutcome(Caller caller, String action, String target, String detail) {
        try {
            record(caller, action, target, detail);
        } catch (RuntimeException e) {
            LOG.log(
                    Level.ERROR,
                    "The audit log does not record the result of an action by " + caller.name() + ": " + action + ", "
                            + target,
                    e);
        }
    }

    void record(Caller caller, String action, String target, String detail) {
        AuditEntry entry = new AuditEntry(
                nextId(),
                clock.instant(),
                cut(caller.name(), LONGEST_NAME),
                action,
                cut(target, LONGEST_TARGET),
                detail);
        backend.audit(entry);
        LOG.log(Level.INFO, "{0} by {1}: {2}", action, entry.who(), entry.target());
    }

    /** Returns an id that is greater than those before it, on this node, and of earlier times, on all. */
    private String nextId() {
        long micros = clock.millis() * 1000;
        long id = last.accumulateAndGet(micros, (before, now) -> Math.max(before + 1, now));
        return String.format("%016x-%s", id, node);
    }

    private static String cut(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length - 1) + "…";
    }

    /** What is looked for; each part may be {@code null}. */
    record Filter(String who, String action, String event, Instant from, Instant to) {

        boolean matches(AuditEntry entry) {
            return (who == null || entry.who().equalsIgnoreCase(who))
                    && (action == null || entry.action().startsWith(action))
                    && (event == null || isAbout(entry))
                    && (to == null || entry.at().isBefore(to));
        }

        /** Actions on several events name them all in their detail. */
        private boolean isAbout(AuditEntry entry) {
            return entry.target().equals(event)
                    || (entry.detail() != null
                            && List.of(entry.detail().split(" ")).contains(event));
        }

        boolean isEmpty() {
            return who == null && action == null && event == null && to == null;
        }

        boolean isOver(AuditEntry entry) {
            return from != null && entry.at().isBefore(from);
        }
    }

    /** Returns what matches, the latest first. One call looks at so many entries only, and then says where to go on. */
    Views.Page<Views.AuditEntry> latest(Filter filter, String before, int limit) {
        List<Views.AuditEntry> found = new ArrayList<>();
        String next = before;
        int size = filter.isEmpty() ? limit : PART;
        for (int looked = 0; looked < MOST_LOOKED_AT; looked += size) {
            List<AuditEntry> part = backend.audits(next, size);
            for (AuditEntry entry : part) {
                if (filter.isOver(entry)) {
                    return new Views.Page<>(found, null);
                }
                if (filter.matches(entry)) {
                    found.add(Views.AuditEntry.of(entry));
                }
                next = entry.id();
                if (found.size() == limit) {
                    return new Views.Page<>(found, next);
                }
            }
            if (part.size() < size) {
                return new Views.Page<>(found, null);
            }
        }
        return new Views.Page<>(found, next);
    }
}
