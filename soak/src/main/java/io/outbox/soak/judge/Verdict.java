package io.outbox.soak.judge;

import io.outbox.soak.fault.FaultKind;
import java.util.List;
import java.util.Map;

/**
 * What the judge found.
 *
 * @param explained duplicates by the fault that explains them
 * @param findings broken promises, none if all is well
 */
public record Verdict(Figures figures, Map<FaultKind, Integer> explained, List<Finding> findings) {

    /**
     * How much there was to judge.
     *
     * @param stored events in the table
     * @param inOrder those of them that have a key
     * @param rolledBack events that were certainly rolled back, alone or with their transaction
     * @param unknown events of transactions whose end no node knows
     * @param deliveries calls of listeners
     * @param repetitions calls that a listener had asked for
     */
    public record Figures(int stored, int inOrder, int rolledBack, int unknown, int deliveries, int repetitions) {}

    public long count(Finding.Kind kind) {
        return findings.stream().filter(finding -> finding.kind() == kind).count();
    }
}
