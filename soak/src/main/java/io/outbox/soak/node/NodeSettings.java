package io.outbox.soak.node;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * What a node is told on its command line.
 *
 * @param url the outbox, through the node's own proxy
 * @param name the owner of its locks; no other node ever has it
 * @param ledger where it notes what it does
 * @param seed of its random choices
 * @param skew how far the clock of its outbox is ahead
 * @param inOrder whether events have keys, and are delivered in their order
 * @param broker the address of the broker to which some events go; empty if there is none
 */
public record NodeSettings(
        String url,
        String name,
        Path ledger,
        Duration lease,
        long seed,
        Duration skew,
        boolean inOrder,
        String broker) {

    /** Returns the arguments for {@link NodeMain}. */
    public List<String> toArguments() {
        return List.of(
                url,
                name,
                ledger.toString(),
                lease.toString(),
                Long.toString(seed),
                skew.toString(),
                Boolean.toString(inOrder),
                broker);
    }

    static NodeSettings ofArguments(String[] args) {
        return new NodeSettings(
                args[0],
                args[1],
                Path.of(args[2]),
                Duration.parse(args[3]),
                Long.parseLong(args[4]),
                Duration.parse(args[5]),
                Boolean.parseBoolean(args[6]),
                args[7]);
    }
}
