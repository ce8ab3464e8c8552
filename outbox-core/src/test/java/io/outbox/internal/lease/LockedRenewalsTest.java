package io.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.dispatch.DefaultInFlightTracker;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.OwnedEvents;
import io.outbox.internal.watch.StoreWatch;
import io.outbox.spi.EventsLockedException;
import io.outbox.spi.Lease;
import io.outbox.support.CountingMetrics;
import io.outbox.support.Events;
import io.outbox.support.NoLeftoverThreads;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Call;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A statement of another program has locked most of the rows that this node holds, and the store is slow to say so. */
@ExtendWith(NoLeftoverThreads.class)
class LockedRenewalsTest {

    private static final int LOCKED = 20_000;
    private static final int FREE = 100;
    private static final Duration LONG = Duration.ofMinutes(1);

    private final ScriptedBackend backend = new ScriptedBackend();
    private final CountingMetrics metrics = new CountingMetrics();
    private final OwnedEvents owned = new OwnedEvents(new DefaultInFlightTracker());
    private final LeaseKeeper keeper = new LeaseKeeper(
            new Lease("node", Duration.ofSeconds(3)), backend, owned, new EngineMetrics(metrics), () -> {});
    /** The ids of each call, in the order of the calls. */
    private final List<Set<String>> calls = new CopyOnWriteArrayList<>();

    private volatile boolean isLocked = true;

    @BeforeEach
    void hold() {
        hold("locked", LOCKED);
        hold("free", FREE);
        backend.before(Op.RENEW, call -> {
            calls.add(Set.copyOf(call.eventIds()));
            Set<String> lockedRows = lockedIn(call);
            if (isLocked && !lockedRows.isEmpty()) {
                throw new EventsLockedException(lockedRows);
            }
        });
        keeper.start(new StoreWatch());
    }

    private void hold(String name, int count) {
        IntStream.range(0, count).mapToObj(i -> name + i).forEach(id -> {
            backend.put(Events.event(id), "node");
            owned.confirm(owned.reserve(id, "node"));
        });
    }

    private static Set<String> lockedIn(Call call) {
        return call.eventIds().stream().filter(id -> id.startsWith("locked")).collect(Collectors.toSet());
    }

    @AfterEach
    void close() {
        keeper.close();
    }

    private static boolean hasLocked(Set<String> ids) {
        return ids.stream().anyMatch(id -> id.startsWith("locked"));
    }

    private static boolean isFree(Set<String> ids) {
        return ids.stream().allMatch(id -> id.startsWith("free"));
    }

    /** Waits until the store has said of each row that it is locked, and the turn is over in which it did. */
    private int awaitFirstTurn() {
        await().atMost(LONG).until(() -> idsOf(calls, 0).size() == LOCKED + FREE);
        int inFirstTurn = calls.size();
        await().atMost(LONG).until(() -> freeRenewals(inFirstTurn) > 1);
        return calls.size();
    }

    private static Set<String> idsOf(List<Set<String>> some, int from) {
        Set<String> ids = new HashSet<>();
        some.stream().skip(from).forEach(ids::addAll);
        return ids;
    }

    private long freeRenewals(int from) {
        return calls.stream().skip(from).filter(LockedRenewalsTest::isFree).count();
    }

    @Test
    void theOthersDoNotWaitForThem() {
        int from = awaitFirstTurn();
        await().atMost(LONG).until(() -> freeRenewals(from) >= 5);

        List<Set<String>> later = List.copyOf(calls).subList(from, calls.size());
        long ofLocked = later.stream().filter(LockedRenewalsTest::hasLocked).count();
        // one of each turn; a lock is old after two turns
        assertThat(ofLocked).isLessThanOrEqualTo(4 * freeRenewals(from));
        assertThat(metrics.get("fenced")).isZero();
    }

    @Test
    void theyAreTriedInTurnAndRenewedTogetherOnceTheyAreFree() {
        int from = awaitFirstTurn();
        await().atMost(LONG).until(() -> idsOf(calls, from).size() > 3 * 512);

        isLocked = false;
        int freed = calls.size();
        await().atMost(LONG).until(() -> idsOf(calls, freed).size() == LOCKED + FREE);

        assertThat(freeRenewals(freed)).as("turns meanwhile").isLessThanOrEqualTo(6);
        assertThat(metrics.get("fenced")).isZero();
    }
}
