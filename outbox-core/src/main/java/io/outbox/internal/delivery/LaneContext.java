package io.outbox.internal.delivery;

import io.outbox.internal.completion.CompletionWriter;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.ownership.HeapBudget;
import io.outbox.internal.polling.Alarm;
import java.util.concurrent.ThreadFactory;

/**
 * What all lanes of an engine share.
 *
 * @param readByType whether an event type can be left out of what is read for the others
 */
record LaneContext(
        CompletionWriter completion,
        Leases leases,
        Routing routing,
        EngineMetrics metrics,
        Alarm alarm,
        ThreadFactory threads,
        HeapBudget budget,
        DispatchQueue.Depths depths,
        boolean readByType) {}
