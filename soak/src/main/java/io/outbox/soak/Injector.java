package io.outbox.soak;

import io.outbox.soak.Store.Trouble;
import io.outbox.soak.cluster.Cluster;
import io.outbox.soak.cluster.Node;
import io.outbox.soak.fault.Fault;
import io.outbox.soak.fault.PlannedFault;
import io.outbox.soak.judge.Row;
import io.outbox.soak.node.Command;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.TestServer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Makes planned faults happen, and remembers when and to whom. Used by one thread. */
final class Injector {

    /** One end of a fault. */
    private interface Action {
        void run() throws Exception;
    }

    private final Cluster cluster;
    private final Store store;
    private final Broker broker;
    private final List<Fault> faults = new ArrayList<>();
    private final List<Row> locksLeft = new ArrayList<>();

    /** @param broker {@code null} if nothing is to happen to it */
    Injector(Cluster cluster, Store store, Broker broker) {
        this.cluster = cluster;
        this.store = store;
        this.broker = broker;
    }

    List<Fault> faults() {
        return faults;
    }

    /** Returns the rows that a node still held after it had closed. */
    List<Row> locksLeft() {
        return locksLeft;
    }

    /** Waits, makes the fault, and returns it when it is over. */
    Fault inject(PlannedFault planned) throws Exception {
        pause(planned.quietBefore());
        cluster.requireAlive();
        int slot = planned.slot();
        Node node = cluster.node(slot);
        TcpProxy proxy = cluster.proxy(slot);
        TestServer server = store.server();
        switch (planned.kind()) {
            case KILLED -> {
                during(planned, node::kill);
                cluster.replace(slot);
            }
            case CLOSED -> {
                during(planned, node::shutDown);
                locksLeft.addAll(lockedBy(node));
                cluster.replace(slot);
            }
            case STOPPED -> during(planned, node::stop, node::goOn);
            case STALLED -> during(planned, proxy::stall, proxy::resume);
            case LATE_ANSWERS -> during(planned, proxy::stallAnswers, proxy::resume);
            case RESET -> during(planned, proxy::resetAll);
            case LOST_ANSWERS -> during(planned, new LostAnswers(List.of(proxy)));
            case CUT_OFF ->
                during(
                        planned,
                        () -> {
                            proxy.refuse();
                            proxy.resetAll();
                        },
                        proxy::accept);
            case CAUGHT_ERRORS ->
                during(planned, () -> node.tell(Command.CATCH_ERRORS), () -> node.tell(Command.CATCH_NO_ERRORS));
            case LARGE_PAYLOADS ->
                during(planned, () -> node.tell(Command.WRITE_LARGE), () -> node.tell(Command.WRITE_SMALL));
            case SERVER_KILLED -> during(planned, server::kill, server::restart);
            case SERVER_FROZEN -> during(planned, server::pause, server::resume);
            case SERVER_DISK_FULL ->
                during(planned, new FullDisk(Database.disk().orElseThrow(), server));
            case SERVER_REFUSING -> during(planned, store.refusing());
            case SERVER_BLOCKING -> during(planned, store.blocking());
            case SERVER_LOST_ANSWERS -> during(planned, new LostAnswers(cluster.proxies()));
            case SERVER_ROWS_LOCKED -> during(planned, store.lockingRows());
            case SERVER_SNAPSHOT -> during(planned, store.holdingSnapshot());
            case SERVER_SESSIONS_ENDED -> during(planned, store.endingSessions());
            case SERVER_FAIL_OVER -> during(planned, store.failingOver(cluster.proxies()));
            case SERVER_SLOT_MOVED -> during(planned, store.movingSlot(cluster.proxies()));
            case POOL_EXHAUSTED ->
                during(planned, () -> node.tell(Command.EXHAUST_POOL), () -> node.tell(Command.FREE_POOL));
            case BROKER_KILLED -> during(planned, broker.server()::kill, broker.server()::restart);
            case BROKER_FROZEN -> during(planned, broker.server()::pause, broker.server()::resume);
        }
        return faults.get(faults.size() - 1);
    }

    private List<Row> lockedBy(Node node) throws Exception {
        return store.rows().stream().filter(row -> row.isLockedBy(node.name())).toList();
    }

    private void during(PlannedFault planned, Action overByItself) throws Exception {
        during(planned, overByItself, () -> {});
    }

    private void during(PlannedFault planned, Action begin, Action end) throws Exception {
        during(planned, new Trouble() {
            @Override
            public Set<String> begin() throws Exception {
                begin.run();
                return Set.of();
            }

            @Override
            public void end() throws Exception {
                end.run();
            }
        });
    }

    /**
     * The fault lasts from before its begin to before its end: what happens after the release is not excused by it.
     * That of a broker excuses nothing, and lasts until the broker serves again.
     */
    private void during(PlannedFault planned, Trouble trouble) throws Exception {
        Instant began = Instant.now();
        Set<String> events = trouble.begin();
        pause(planned.duration());
        Instant released = Instant.now();
        String target = target(planned);
        trouble.end();
        faults.add(new Fault(
                planned.kind(), target, events, began, planned.kind().hitsBroker() ? Instant.now() : released));
    }

    private String target(PlannedFault planned) {
        if (planned.kind().hitsServer()) {
            return Fault.SERVER;
        }
        return planned.kind().hitsBroker()
                ? Fault.BROKER
                : cluster.node(planned.slot()).name();
    }

    private static void pause(Duration duration) throws InterruptedException {
        TimeUnit.MILLISECONDS.sleep(duration.toMillis());
    }
}
