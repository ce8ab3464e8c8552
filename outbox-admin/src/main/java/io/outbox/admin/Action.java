package io.outbox.admin;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** What can be done to any number of events: to those that are dead, or to those that wait. */
enum Action {
    REPLAY(Kind.DEAD) {
        @Override
        void apply(Operations operations, List<String> ids, Caller caller) {
            operations.dead().replay(ids, caller);
        }
    },
    RESOLVE(Kind.DEAD) {
        @Override
        void apply(Operations operations, List<String> ids, Caller caller) {
            operations.dead().resolve(ids, caller);
        }
    },
    DELETE(Kind.DEAD) {
        @Override
        void apply(Operations operations, List<String> ids, Caller caller) {
            operations.dead().delete(ids);
        }
    },
    RETRY(Kind.WAITING) {
        @Override
        void apply(Operations operations, List<String> ids, Caller caller) {
            operations.waiting().retry(ids).requireMade();
        }

        @Override
        Done applyToEach(Operations operations, List<String> ids, Caller caller) {
            return operations.waiting().retry(ids).done();
        }
    },
    CANCEL(Kind.WAITING) {
        @Override
        void apply(Operations operations, List<String> ids, Caller caller) {
            operations.waiting().cancel(ids, caller).requireMade();
        }

        @Override
        Done applyToEach(Operations operations, List<String> ids, Caller caller) {
            return operations.waiting().cancel(ids, caller).done();
        }
    };

    /** Which events an action is for. */
    enum Kind {
        DEAD,
        WAITING
    }

    /** How many events it was done to, and why not to the others, by id. */
    record Done(long count, Map<String, String> skipped) {}

    private final Kind kind;

    Action(Kind kind) {
        this.kind = kind;
    }

    Kind kind() {
        return kind;
    }

    /** Does it to all of the events; if it cannot be done to one, that is a {@link Problem}. */
    abstract void apply(Operations operations, List<String> ids, Caller caller);

    /** Does it to each of the events that it can be done to. */
    Done applyToEach(Operations operations, List<String> ids, Caller caller) {
        Map<String, String> skipped = new TreeMap<>();
        try {
            if (!ids.isEmpty()) {
                apply(operations, ids, caller);
            }
        } catch (Problem problem) {
            if (ids.size() == 1) {
                skipped.put(ids.get(0), problem.getMessage());
            } else {
                ids.forEach(id -> skipped.putAll(
                        applyToEach(operations, List.of(id), caller).skipped()));
            }
        }
        return new Done(ids.size() - skipped.size(), skipped);
    }

    /** Returns the word for it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
