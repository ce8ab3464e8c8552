package io.outbox.soak.judge;

import io.outbox.soak.fault.Fault;
import io.outbox.soak.ledger.History;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Everything a run left behind.
 *
 * @param history what the nodes noted
 * @param table the stored events after all nodes have closed
 * @param locksLeft rows that were locked by a node right after it had closed, in the middle of the run
 * @param messages how often each event is with the broker
 * @param faults what was done to nodes, server and broker
 */
public record Evidence(
        History history,
        Collection<Row> table,
        Collection<Row> locksLeft,
        Map<String, Integer> messages,
        List<Fault> faults) {}
