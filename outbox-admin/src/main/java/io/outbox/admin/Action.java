package io.outbox.admin;

import java.util.List;
import java.util.Locale;

/** What can be done to any number of dead events. */
enum Action {
    REPLAY {
        @Override
        void apply(DeadEvents dead, List<String> ids, Caller caller) {
            dead.replay(ids, caller);
        }
    },
    RESOLVE {
        @Override
        void apply(DeadEvents dead, List<String> ids, Caller caller) {
            dead.resolve(ids, caller);
        }
    },
    DELETE {
        @Override
        void apply(DeadEvents dead, List<String> ids, Caller caller) {
            dead.delete(ids);
        }
    };

    /** Does it to all of the events, or to none. */
    abstract void apply(DeadEvents dead, List<String> ids, Caller caller);

    /** Returns the word for it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
