package io.outbox.internal.polling;

/** How far back a look goes. */
enum LookDepth {
    /** To the very first entry of the index. */
    FRONT,
    /** As far as transactions are expected to commit late, and clocks to differ. */
    LATE,
    /** As far as most transactions take. */
    RECENT
}
