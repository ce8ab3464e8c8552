package io.outbox.internal.ownership.model;

/**
 * The rules of the ownership protocol. Each is there because without it something goes wrong, which the model shows.
 */
enum Rule {
    /** A healthy node renews the locks of what it holds before they run out. */
    RENEW("locks are renewed in time"),
    /** Before a listener gets an event, the lock is looked at, and restarted. */
    SECURE("a lock is secured before its listener begins"),
    /** Only an expired lock is taken from another node. */
    LEASE("only what is free, or whose lease has run out, is claimed"),
    /** An outcome counts only under the lock of the hold that it belongs to. */
    FENCE("outcomes are fenced by their holder"),
    /** After a call without an answer the node holds events under another name. */
    TOKEN("a lost answer changes the holder's token"),
    /** What was read as free is tested again under the lock of its row. */
    RETEST("candidates are tested again under lock"),
    /** What a lost answer left behind is taken back by its sender, and need not wait for the lease. */
    TAKE_BACK("a lost claim is taken back by the node that sent it"),

    /** Keyed: a key is looked at after the commit that added to it. */
    LOOK_AFTER_COMMIT("a key is looked at after the commit"),
    /** Keyed: a run begins with the oldest unfinished event of its key. */
    FROM_THE_HEAD("a run begins at the head of its key"),
    /** Keyed: followers are taken only with their head. */
    HEAD_FIRST("followers are taken only if their head was won"),
    /** Keyed: nothing of a run is taken if somebody got something of it in between. */
    ALL_OR_NOTHING("a run of which something was not won gives nothing"),
    /** Keyed: a head that comes back, by a replay or a late commit, waits for what is held behind it. */
    NOTHING_HELD("a key of which somebody holds a later event gives nothing"),
    /** Keyed: nothing behind an event that is not done is delivered. */
    STOP("a chain ends with an event that is not done"),
    /** Keyed: nothing begins while an event before it, delivered and not yet written, may be taken over. */
    SECURE_BEFORE("nothing begins while the lock of a delivered event before it may have run out"),
    /** Keyed: an outcome that is refused says that another node has the key. */
    LOSS("the loss of one lock ends the whole chain"),
    /** Keyed: what is left of a chain that has ended is given back. */
    GIVE_BACK("the rest of a chain that has ended is given back"),
    /** Keyed: a node that has brought a key forward looks at it again. */
    TAKE_NEXT("the node that finishes a run looks for what follows"),
    /** Keyed: a key is not looked at while an event of it is in this node's hands. */
    ONE_CHAIN("a key has one chain in a node");

    private final String text;

    Rule(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
