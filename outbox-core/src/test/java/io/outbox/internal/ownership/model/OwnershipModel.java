package io.outbox.internal.ownership.model;

import io.outbox.internal.ownership.model.Search.Step;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Who may deliver which event when, as a machine of a few states: rows with status, owner, token and age of their lock;
 * nodes that are alive, frozen or dead; answers that get lost and messages that arrive late; one clock, that of the
 * database. A step is what the database does for one call, or what a node does between two calls.
 *
 * <p>Locks have an age instead of a time, which stops at the length of the lease. So there are finitely many states
 * however long the clock runs. How much goes wrong is bounded by {@link Trouble}.
 */
final class OwnershipModel implements Search.Model<World> {

    /** How often each thing may go wrong. */
    record Trouble(int failures, int freezes, int deaths, int lostAnswers) {

        static final Trouble NONE = new Trouble(0, 0, 0, 0);
    }

    /** How events come to a node. */
    enum Mode {
        /** Each event by itself, locked by its insert: the protocol without order. */
        UNKEYED,
        /** Runs of a key, written free, claimed under locks. */
        KEYED,
        /** Runs of a key on a node that is alone and ignores locks. */
        KEYED_ALONE
    }

    /**
     * What is searched.
     *
     * @param keyOf the key of each event, which are written in this order within a key
     * @param sweeps whether nodes look at keys without being told to
     * @param clockRuns whether leases can run out
     * @param revives whether the first event is one that has failed for good, which an operator replays
     */
    record Setup(
            Mode mode,
            int nodes,
            List<Integer> keyOf,
            Trouble trouble,
            boolean sweeps,
            boolean clockRuns,
            boolean revives) {

        int keys() {
            return keyOf.stream().mapToInt(key -> key).max().orElseThrow() + 1;
        }

        World start() {
            World world = new World(nodes, keyOf.size(), keys());
            world.failures = (byte) trouble.failures;
            world.freezes = (byte) trouble.freezes;
            world.deaths = (byte) trouble.deaths;
            world.losses = (byte) trouble.lostAnswers;
            if (revives) {
                world.status[0] = World.GONE;
            }
            return world;
        }
    }

    private final Setup setup;
    private final Set<Rule> rules;
    private final int events;

    OwnershipModel(Setup setup, Rule without) {
        this.setup = setup;
        this.rules = EnumSet.allOf(Rule.class);
        if (without != null) {
            rules.remove(without);
        }
        this.events = setup.keyOf.size();
    }

    private boolean has(Rule rule) {
        return rules.contains(rule);
    }

    @Override
    public String violation(World world) {
        return world.violation;
    }

    @Override
    public String wrongEnd(World world) {
        boolean alive = false;
        for (int n = 0; n < setup.nodes; n++) {
            alive |= world.life[n] == World.ALIVE;
        }
        for (int e = 0; alive && e < events; e++) {
            if (world.status[e] != World.DONE) {
                return name(e) + " waits for ever, though a node is alive";
            }
        }
        return null;
    }

    @Override
    public List<Step<World>> next(World world) {
        List<Step<World>> steps = new ArrayList<>();
        for (int n = 0; n < setup.nodes; n++) {
            if (world.life[n] == World.ALIVE) {
                steps(world, n, steps);
            } else if (world.life[n] == World.FROZEN) {
                int node = n;
                add(steps, world, "node " + n + " goes on", to -> to.life[node] = World.ALIVE);
            }
        }
        if (world.lateEvent >= 0) {
            add(steps, world, "the late " + late(world) + " arrives", to -> {
                apply(to, to.lateNode, to.lateEvent, to.lateKind, to.lateToken);
                to.lateEvent = -1;
                to.lateNode = to.lateKind = to.lateToken = 0;
            });
        }
        if (setup.revives && world.status[0] == World.GONE) {
            add(steps, world, "an operator replays " + name(0), to -> to.status[0] = World.PENDING);
        }
        if (setup.clockRuns) {
            add(steps, world, "time passes", this::tick);
        }
        return steps;
    }

    private void steps(World world, int n, List<Step<World>> steps) {
        for (int e = 0; e < events; e++) {
            write(world, n, e, steps);
            if (world.out[n][e] != World.NOTHING) {
                writeOutcome(world, n, e, steps);
            }
            if (world.releasing[n][e]) {
                int event = e;
                add(steps, world, "node " + n + " releases " + name(e), to -> {
                    apply(to, n, event, World.RELEASED, to.held[n][event]);
                    to.releasing[n][event] = false;
                    closed(to, n, event);
                });
            }
        }
        for (int k = 0; k < setup.keys(); k++) {
            look(world, n, k, steps);
            deliver(world, n, k, steps);
        }
        if (world.freezes > 0) {
            add(steps, world, "node " + n + " freezes", to -> {
                to.freezes--;
                to.life[n] = World.FROZEN;
                Arrays.fill(to.stained[n], true);
            });
        }
        if (world.deaths > 0) {
            add(steps, world, "node " + n + " dies", to -> {
                to.deaths--;
                to.die(n);
            });
        }
    }

    // Writing

    private void write(World world, int n, int e, List<Step<World>> steps) {
        int key = setup.keyOf.get(e);
        if (world.status[e] == World.UNWRITTEN && isWrittenUpTo(world, e)) {
            if (has(Rule.LOOK_AFTER_COMMIT)) {
                add(steps, world, "node " + n + " commits " + name(e), to -> commit(to, n, e, true));
            } else {
                add(steps, world, "node " + n + " inserts " + name(e) + " and asks for a look", to -> {
                    to.status[e] = World.OPEN;
                    wantLook(to, n, key);
                });
            }
        } else if (world.status[e] == World.OPEN) {
            add(steps, world, "node " + n + " commits " + name(e), to -> commit(to, n, e, false));
        }
    }

    private boolean isWrittenUpTo(World world, int e) {
        for (int before = 0; before < e; before++) {
            if (setup.keyOf.get(before).equals(setup.keyOf.get(e))
                    && (world.status[before] == World.UNWRITTEN || world.status[before] == World.OPEN)) {
                return false;
            }
        }
        return true;
    }

    private void commit(World to, int n, int e, boolean looks) {
        to.status[e] = World.PENDING;
        if (setup.mode == Mode.UNKEYED) {
            to.lock(e, n);
            to.take(n, e);
        } else if (looks) {
            wantLook(to, n, setup.keyOf.get(e));
        }
    }

    private void wantLook(World to, int n, int key) {
        to.look[n][key] = !setup.sweeps;
    }

    // Looking: a read that locks nothing, then a claim of what it saw

    private void look(World world, int n, int key, List<Step<World>> steps) {
        if (world.seen[n][key] != 0) {
            claim(world, n, key, steps);
            return;
        }
        boolean wanted = setup.sweeps || world.look[n][key];
        if (!wanted || (has(Rule.ONE_CHAIN) && holdsAny(world, n, key))) {
            return;
        }
        int run = run(world, n, key);
        if (run != 0 || world.look[n][key]) {
            add(steps, world, "node " + n + " sees " + names(run), to -> {
                to.seen[n][key] = (byte) run;
                to.look[n][key] = false;
            });
        }
    }

    private boolean holdsAny(World world, int n, int key) {
        for (int e = 0; e < events; e++) {
            if (setup.keyOf.get(e) == key && world.isHeld(n, e)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the events of a key from its head on that this node could have. */
    private int run(World world, int n, int key) {
        int run = 0;
        for (int e = 0; e < events; e++) {
            if (setup.keyOf.get(e) == key && world.status[e] == World.PENDING) {
                if (isFree(world, n, e)) {
                    run |= 1 << e;
                } else if (run != 0 && has(Rule.NOTHING_HELD)) {
                    return 0;
                } else if (has(Rule.FROM_THE_HEAD)) {
                    break;
                }
            }
        }
        return run;
    }

    private boolean isFree(World world, int n, int e) {
        if (setup.mode == Mode.KEYED_ALONE || world.owner[e] < 0 || !has(Rule.LEASE)) {
            return true;
        }
        boolean isOurs = has(Rule.TAKE_BACK)
                && world.owner[e] == n
                && world.token[e] == world.lost[n]
                && !(world.isHeld(n, e) && world.held[n][e] == world.token[e]);
        return isOurs || world.age[e] >= World.LEASE;
    }

    private void claim(World world, int n, int key, List<Step<World>> steps) {
        int seen = world.seen[n][key];
        boolean mayMeetLocks = setup.sweeps && setup.mode != Mode.KEYED_ALONE;
        for (int lockedByOther = -1; lockedByOther < (mayMeetLocks ? events : 0); lockedByOther++) {
            if (lockedByOther >= 0 && (seen & 1 << lockedByOther) == 0) {
                continue;
            }
            int won = won(world, n, key, lockedByOther);
            add(steps, world, "node " + n + " claims " + names(won), to -> {
                to.seen[n][key] = 0;
                take(to, n, won);
            });
            if (world.losses > 0 && won != 0 && setup.mode != Mode.KEYED_ALONE) {
                add(steps, world, "node " + n + " claims " + names(won) + ", the answer is lost", to -> {
                    to.seen[n][key] = 0;
                    lockAll(to, n, won);
                    to.losses--;
                    to.lost[n] = to.token(n);
                    if (has(Rule.TOKEN)) {
                        to.nextToken(n);
                    }
                    wantLook(to, n, key);
                });
            }
        }
    }

    /** Returns what a claim gets of what was seen, while somebody else has locked one of its rows for a moment. */
    private int won(World world, int n, int key, int lockedByOther) {
        int won = 0;
        boolean first = true;
        for (int e = 0; e < events; e++) {
            if ((world.seen[n][key] & 1 << e) == 0) {
                continue;
            }
            boolean stillFree = setup.mode == Mode.KEYED_ALONE
                    || !has(Rule.RETEST)
                    || (world.status[e] == World.PENDING && isFree(world, n, e));
            boolean gets = stillFree && e != lockedByOther && world.status[e] != World.DONE;
            if (!gets && first && has(Rule.HEAD_FIRST)) {
                return 0;
            }
            if (!gets && !first) {
                return has(Rule.ALL_OR_NOTHING) ? 0 : won;
            }
            if (gets) {
                won |= 1 << e;
            }
            first = false;
        }
        return won;
    }

    private void lockAll(World to, int n, int won) {
        for (int e = 0; e < events; e++) {
            if ((won & 1 << e) != 0 && setup.mode != Mode.KEYED_ALONE) {
                to.lock(e, n);
            }
        }
    }

    private void take(World to, int n, int won) {
        lockAll(to, n, won);
        for (int e = 0; e < events; e++) {
            if ((won & 1 << e) != 0) {
                to.take(n, e);
            }
        }
    }

    // Delivering

    private void deliver(World world, int n, int key, List<Step<World>> steps) {
        int listening = world.listening[n][key];
        if (listening >= 0) {
            add(steps, world, "the listener of node " + n + " is done with " + name(listening), to -> {
                to.listening[n][key] = -1;
                to.delivered[listening] = true;
                to.leaveChain(n, listening);
                to.out[n][listening] = World.OK;
            });
            if (world.failures > 0) {
                add(steps, world, "the listener of node " + n + " fails with " + name(listening), to -> {
                    to.failures--;
                    to.listening[n][key] = -1;
                    to.leaveChain(n, listening);
                    to.out[n][listening] = World.FAILED;
                    if (has(Rule.STOP)) {
                        endChain(to, n, key);
                    }
                });
            }
            return;
        }
        int next = first(world, n, key);
        if (next >= 0) {
            add(steps, world, "node " + n + " begins with " + name(next), to -> begin(to, n, key, next));
        }
    }

    private int first(World world, int n, int key) {
        for (int e = 0; e < events; e++) {
            if (setup.keyOf.get(e) == key && world.chained[n][e]) {
                return e;
            }
        }
        return -1;
    }

    private void begin(World to, int n, int key, int e) {
        boolean isOurs = setup.mode == Mode.KEYED_ALONE || to.isLockedBy(e, n, to.held[n][e]);
        boolean isLate = has(Rule.SECURE_BEFORE) && isUncertainBefore(to, n, key);
        if (isLate) {
            endChain(to, n, key);
            return;
        }
        if (has(Rule.SECURE) && !isOurs) {
            to.leaveChain(n, e);
            endChain(to, n, key);
            closed(to, n, e);
            return;
        }
        if (isOurs && setup.mode != Mode.KEYED_ALONE) {
            to.age[e] = 0;
        }
        to.violation = judge(to, n, key, e);
        to.listening[n][key] = (byte) e;
        to.stained[n][key] = false;
    }

    /** Returns whether the lock of a delivered event of the key may have run out before its outcome is written. */
    private boolean isUncertainBefore(World world, int n, int key) {
        for (int e = 0; e < events; e++) {
            if (setup.keyOf.get(e) == key
                    && world.out[n][e] != World.NOTHING
                    && setup.mode != Mode.KEYED_ALONE
                    && (world.age[e] >= World.LEASE || !world.isLockedBy(e, n, world.held[n][e]))) {
                return true;
            }
        }
        return false;
    }

    private String judge(World world, int n, int key, int e) {
        for (int before = setup.revives ? 1 : 0; before < e; before++) {
            if (setup.keyOf.get(before) == key && !world.delivered[before] && world.status[before] != World.DONE) {
                return name(e) + " is delivered before " + name(before);
            }
        }
        for (int other = 0; other < setup.nodes; other++) {
            if (other != n && world.listening[other][key] >= 0 && !world.stained[other][key]) {
                return name(e) + " is delivered by node " + n + " while node " + other + ", which is healthy, has "
                        + name(world.listening[other][key]);
            }
        }
        return world.delivered[e] && world.isCalm(setup.trouble) ? name(e) + " is delivered twice for no reason" : null;
    }

    /** Gives back what is left of a chain; what a listener has stays with it. */
    private void endChain(World to, int n, int key) {
        for (int e = 0; e < events; e++) {
            if (setup.keyOf.get(e) == key && to.chained[n][e] && to.listening[n][key] != e) {
                to.leaveChain(n, e);
                if (has(Rule.GIVE_BACK)) {
                    to.releasing[n][e] = true;
                }
            }
        }
    }

    // Outcomes

    private void writeOutcome(World world, int n, int e, List<Step<World>> steps) {
        byte kind = world.out[n][e];
        add(steps, world, "node " + n + " writes that " + name(e) + (kind == World.OK ? " is done" : " failed"), to -> {
            boolean counts = apply(to, n, e, kind, to.held[n][e]);
            to.out[n][e] = World.NOTHING;
            if (!counts && has(Rule.LOSS)) {
                endChain(to, n, setup.keyOf.get(e));
            }
            closed(to, n, e);
        });
        if (world.losses > 0 && world.lateEvent < 0 && setup.mode != Mode.KEYED_ALONE) {
            add(steps, world, "node " + n + " sends the outcome of " + name(e) + ", which is held up", to -> {
                to.losses--;
                to.lateNode = (byte) n;
                to.lateEvent = (byte) e;
                to.lateKind = kind;
                to.lateToken = to.held[n][e];
                if (has(Rule.TOKEN)) {
                    to.nextToken(n);
                }
            });
        }
    }

    /** What the database makes of an outcome or a release; returns whether it counts. */
    private boolean apply(World to, int n, int e, byte kind, byte token) {
        boolean counts = setup.mode == Mode.KEYED_ALONE || !has(Rule.FENCE) || to.isLockedBy(e, n, token);
        if (to.status[e] != World.PENDING || !counts) {
            return to.status[e] == World.DONE; // written before, which a repetition is told
        }
        if (kind == World.OK) {
            to.status[e] = World.DONE;
        }
        to.unlock(e);
        return true;
    }

    /**
     * Notes that nothing of an event is in the node's hands any more; when that holds for its key, the key is looked
     * at.
     */
    private void closed(World to, int n, int e) {
        int key = setup.keyOf.get(e);
        to.held[n][e] = 0;
        if (has(Rule.TAKE_NEXT) && !holdsAny(to, n, key)) {
            wantLook(to, n, key);
        }
    }

    private void tick(World to) {
        for (int e = 0; e < events; e++) {
            int n = to.owner[e];
            if (n < 0) {
                continue;
            }
            boolean renewed = has(Rule.RENEW)
                    && to.life[n] == World.ALIVE
                    && to.isHeld(n, e)
                    && to.held[n][e] == to.token[e]
                    && to.age[e] < World.LEASE;
            to.age[e] = renewed ? 0 : (byte) Math.min(World.LEASE, to.age[e] + 1);
        }
    }

    private String late(World world) {
        return "outcome of node " + world.lateNode + " for " + name(world.lateEvent);
    }

    private String name(int e) {
        int place = 1;
        for (int before = 0; before < e; before++) {
            place += setup.keyOf.get(before).equals(setup.keyOf.get(e)) ? 1 : 0;
        }
        return (char) ('a' + setup.keyOf.get(e)) + "" + place;
    }

    private String names(int some) {
        List<String> names = new ArrayList<>();
        for (int e = 0; e < events; e++) {
            if ((some & 1 << e) != 0) {
                names.add(name(e));
            }
        }
        return names.isEmpty() ? "nothing" : String.join(" ", names);
    }

    private static void add(List<Step<World>> steps, World from, String label, Consumer<World> change) {
        World to = from.copy();
        change.accept(to);
        to.normalise();
        steps.add(new Step<>(label, to));
    }
}
