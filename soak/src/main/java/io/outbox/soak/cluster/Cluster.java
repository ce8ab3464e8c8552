package io.outbox.soak.cluster;

import io.outbox.soak.ledger.History;
import io.outbox.soak.node.Command;
import io.outbox.soak.node.NodeSettings;
import io.outbox.testservers.TcpProxy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The nodes of a run. Each has a slot with a proxy of its own in front of the database; a node that was killed or
 * closed is replaced by one with another name in the same slot. Used by one thread.
 */
public final class Cluster implements AutoCloseable {

    private final Address address;
    private final Duration lease;
    private final Duration skew;
    private final boolean inOrder;
    private final String broker;
    private final Random seeds;
    private final Path directory;
    private final Watchdog watchdog = Watchdog.start();
    private final List<Slot> slots = new ArrayList<>();
    private final List<Node> all = new ArrayList<>();

    /**
     * What all nodes have in common.
     *
     * @param lease how long their locks last
     * @param skew how far the clock of the first is behind that of the second, and that of the third ahead
     * @param inOrder whether events have keys, and are delivered in their order
     * @param broker the address of the broker to which some events go; empty if there is none
     */
    public record Manner(Duration lease, Duration skew, boolean inOrder, String broker) {}

    /** A cluster without nodes; the directory is for their ledgers and outputs. */
    public Cluster(Address address, Manner manner, long seed, Path directory) {
        this.address = address;
        this.lease = manner.lease();
        this.skew = manner.skew();
        this.inOrder = manner.inOrder();
        this.broker = manner.broker();
        this.seeds = new Random(seed);
        this.directory = directory;
    }

    /**
     * Starts so many nodes and waits until they deliver. The client of the last one gives up waiting for the server,
     * those of the others wait for as long as it takes.
     */
    public void start(int nodes) throws InterruptedException {
        for (int i = 1; i <= nodes; i++) {
            Slot slot = new Slot("n" + i, i == nodes, skew.multipliedBy(i - 2));
            slots.add(slot);
            slot.startNode();
        }
        for (Slot slot : slots) {
            slot.node.awaitReady();
        }
    }

    /** Starts a node in place of one that has ended, and waits until it delivers. */
    public void replace(int slot) throws InterruptedException {
        slots.get(slot).startNode();
        node(slot).awaitReady();
    }

    public Node node(int slot) {
        return slots.get(slot).node;
    }

    public TcpProxy proxy(int slot) {
        return slots.get(slot).proxy;
    }

    public List<TcpProxy> proxies() {
        return slots.stream().map(slot -> slot.proxy).toList();
    }

    public void requireAlive() {
        slots.forEach(slot -> slot.node.requireAlive());
    }

    /** Makes all nodes stop writing. */
    public void quiet() throws IOException {
        for (Slot slot : slots) {
            slot.node.tell(Command.QUIET);
        }
    }

    /** Closes all nodes, one after the other. */
    public void shutDown() throws IOException, InterruptedException {
        for (Slot slot : slots) {
            slot.node.shutDown();
        }
    }

    /** Returns what all nodes have noted, the former ones too. */
    public History history() {
        History history = new History();
        all.forEach(node -> history.add(node.name(), node.entries()));
        return history;
    }

    /** Kills what still runs. */
    @Override
    public void close() {
        watchdog.close();
        slots.forEach(slot -> slot.proxy.close());
    }

    private final class Slot {

        private final String name;
        private final boolean last;
        private final TcpProxy proxy;
        private final String url;
        private final Duration skew;
        private Node node;
        private int generation;

        private Slot(String name, boolean last, Duration skew) {
            this.name = name;
            this.last = last;
            this.skew = skew;
            this.proxy = TcpProxy.start(address.port());
            this.url = (last ? address.impatient() : address).through(proxy);
        }

        private void startNode() {
            generation++;
            String nodeName = name + "." + generation;
            node = Node.start(
                    new NodeSettings(
                            url,
                            nodeName,
                            directory.resolve(nodeName + ".ledger"),
                            lease,
                            seeds.nextLong(),
                            skew,
                            inOrder,
                            broker),
                    ClassPaths.of(generation == 1 && !last),
                    watchdog);
            all.add(node);
        }
    }
}
