package io.outbox.internal.ownership.model;

import java.util.Arrays;

/** One state of the model: the rows in the database, what each node knows, and how much may still go wrong. */
final class World {

    static final byte UNWRITTEN = 0;
    static final byte OPEN = 1;
    static final byte PENDING = 2;
    static final byte DONE = 3;
    /** Has failed for good, before anything else happens; an operator may replay it. */
    static final byte GONE = 4;

    static final byte ALIVE = 0;
    static final byte FROZEN = 1;
    static final byte DEAD = 2;

    static final byte NOTHING = 0;
    static final byte OK = 1;
    static final byte FAILED = 2;
    static final byte RELEASED = 3;

    /** How often the clock ticks until a lock has run out. */
    static final byte LEASE = 2;

    // rows
    final byte[] status;
    final byte[] owner;
    final byte[] token;
    final byte[] age;
    final boolean[] delivered;
    // nodes
    final byte[] life;
    final byte[] tokens;
    final byte[] lost;
    // of each node, by event
    final byte[][] held;
    final boolean[][] chained;
    final byte[][] out;
    final boolean[][] releasing;
    // of each node, by key
    final boolean[][] look;
    final byte[][] seen;
    final byte[][] listening;
    /** Whether the node was frozen since it secured the lock of what its listener has. */
    final boolean[][] stained;
    // a message that is held up
    byte lateNode;
    byte lateEvent = -1;
    byte lateKind;
    byte lateToken;
    // what may still go wrong
    byte failures;
    byte freezes;
    byte deaths;
    byte losses;
    String violation;
    private int hash;

    World(int nodes, int events, int keys) {
        status = new byte[events];
        owner = filled(events);
        token = new byte[events];
        age = new byte[events];
        delivered = new boolean[events];
        life = new byte[nodes];
        tokens = new byte[nodes];
        Arrays.fill(tokens, (byte) 1);
        lost = filled(nodes);
        held = new byte[nodes][events];
        chained = new boolean[nodes][events];
        out = new byte[nodes][events];
        releasing = new boolean[nodes][events];
        look = new boolean[nodes][keys];
        seen = new byte[nodes][keys];
        stained = new boolean[nodes][keys];
        listening = new byte[nodes][];
        for (int n = 0; n < nodes; n++) {
            listening[n] = filled(keys);
        }
    }

    private World(World from) {
        status = from.status.clone();
        owner = from.owner.clone();
        token = from.token.clone();
        age = from.age.clone();
        delivered = from.delivered.clone();
        life = from.life.clone();
        tokens = from.tokens.clone();
        lost = from.lost.clone();
        held = deep(from.held);
        chained = deep(from.chained);
        out = deep(from.out);
        releasing = deep(from.releasing);
        look = deep(from.look);
        seen = deep(from.seen);
        listening = deep(from.listening);
        stained = deep(from.stained);
        lateNode = from.lateNode;
        lateEvent = from.lateEvent;
        lateKind = from.lateKind;
        lateToken = from.lateToken;
        failures = from.failures;
        freezes = from.freezes;
        deaths = from.deaths;
        losses = from.losses;
    }

    private static byte[] filled(int size) {
        byte[] none = new byte[size];
        Arrays.fill(none, (byte) -1);
        return none;
    }

    private static <T> T[] deep(T[] rows) {
        T[] copy = rows.clone();
        for (int i = 0; i < copy.length; i++) {
            @SuppressWarnings("unchecked")
            T row = (T) (copy[i] instanceof byte[] bytes ? bytes.clone() : ((boolean[]) copy[i]).clone());
            copy[i] = row;
        }
        return copy;
    }

    World copy() {
        return new World(this);
    }

    byte token(int n) {
        return tokens[n];
    }

    void nextToken(int n) {
        tokens[n]++;
    }

    void lock(int e, int n) {
        owner[e] = (byte) n;
        token[e] = tokens[n];
        age[e] = 0;
    }

    void unlock(int e) {
        owner[e] = -1;
    }

    boolean isLockedBy(int e, int n, byte heldToken) {
        return owner[e] == n && token[e] == heldToken;
    }

    /** Takes an event into the node's hands, at its place in the chain. */
    void take(int n, int e) {
        held[n][e] = tokens[n];
        chained[n][e] = true;
    }

    void leaveChain(int n, int e) {
        chained[n][e] = false;
    }

    boolean isHeld(int n, int e) {
        return chained[n][e] || out[n][e] != NOTHING || releasing[n][e];
    }

    void die(int n) {
        life[n] = DEAD;
        Arrays.fill(held[n], (byte) 0);
        Arrays.fill(chained[n], false);
        Arrays.fill(out[n], NOTHING);
        Arrays.fill(releasing[n], false);
        Arrays.fill(look[n], false);
        Arrays.fill(seen[n], (byte) 0);
        Arrays.fill(listening[n], (byte) -1);
        lost[n] = -1;
    }

    boolean isCalm(OwnershipModel.Trouble trouble) {
        return freezes == trouble.freezes() && deaths == trouble.deaths() && losses == trouble.lostAnswers();
    }

    /** Forgets what makes no difference any more, so that equal situations are equal states. */
    void normalise() {
        for (int n = 0; n < life.length; n++) {
            for (int key = 0; key < listening[n].length; key++) {
                stained[n][key] &= listening[n][key] >= 0;
            }
        }
        for (int e = 0; e < status.length; e++) {
            if (status[e] == DONE) {
                unlock(e);
            }
            if (owner[e] < 0) {
                token[e] = 0;
                age[e] = 0;
            }
        }
    }

    private Object[] all() {
        return new Object[] {
            status,
            owner,
            token,
            age,
            delivered,
            life,
            tokens,
            lost,
            stained,
            held,
            chained,
            out,
            releasing,
            look,
            seen,
            listening,
            new byte[] {lateNode, lateEvent, lateKind, lateToken, failures, freezes, deaths, losses}
        };
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof World world && hashCode() == world.hashCode() && Arrays.deepEquals(all(), world.all());
    }

    @Override
    public int hashCode() {
        return hash == 0 ? hash = Arrays.deepHashCode(all()) : hash;
    }
}
