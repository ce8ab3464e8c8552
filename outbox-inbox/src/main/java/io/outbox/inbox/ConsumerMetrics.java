package io.outbox.inbox;

import io.outbox.upkeep.Outage;
import java.util.function.ObjLongConsumer;

/**
 * The one door to the application's {@link InboxMetrics}: what they throw stays here and is logged, first as a warning.
 */
final class ConsumerMetrics {

    private static final System.Logger LOG = System.getLogger(ConsumerMetrics.class.getName());

    private final InboxMetrics metrics;
    private final Outage outage = new Outage(LOG, "The metrics failed; consuming continues without them");

    ConsumerMetrics(InboxMetrics metrics) {
        this.metrics = metrics;
    }

    void consumed(long count) {
        report(InboxMetrics::incrementConsumed, count);
    }

    void duplicated(long count) {
        report(InboxMetrics::incrementDuplicated, count);
    }

    void failed(long count) {
        report(InboxMetrics::incrementFailed, count);
    }

    void cleaned(long count) {
        report(InboxMetrics::incrementCleaned, count);
    }

    void cacheHit(long count) {
        report(InboxMetrics::incrementCacheHit, count);
    }

    void cacheMiss(long count) {
        report(InboxMetrics::incrementCacheMiss, count);
    }

    private void report(ObjLongConsumer<InboxMetrics> counter, long count) {
        if (count == 0) {
            return;
        }
        try {
            counter.accept(metrics, count);
        } catch (RuntimeException | Error e) {
            outage.failed(e);
        }
    }
}
