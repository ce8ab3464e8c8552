package io.outbox.testing.contract;

import io.outbox.testing.contract.DeliveryRules.LoadSize;
import java.time.Duration;
import org.junit.jupiter.api.Nested;

/**
 * Delivery from end to end on an engine: every event of a committed transaction is delivered once, and none of a
 * rolled-back one, in every mode, under load, with failures, small queues and restarts.
 *
 * <p>To test an engine, describe it as an {@link EngineUnderTest} in real time and extend this class; see
 * {@link OutboxBackendContract}. The numbers of threads, transactions and nodes are methods to override, for instance
 * for a soak test. An engine that cannot claim is tested to be refused in multi-node mode.
 *
 * <p>After each test no thread of the outbox may be left.
 */
public abstract class DeliveryContract {

    /** Returns an engine on an empty store; called before each test. */
    protected abstract EngineUnderTest createEngine() throws Exception;

    /** How many threads write at the same time. */
    protected int writers() {
        return 8;
    }

    /** How many transactions each of them makes. */
    protected int transactionsPerWriter() {
        return 30;
    }

    /** How many nodes share the store in multi-node tests. */
    protected int nodes() {
        return 3;
    }

    /** How long a test waits for deliveries; less than any lease in these tests that must not be waited for. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    private LoadSize size() {
        return new LoadSize(writers(), transactionsPerWriter(), nodes(), patience());
    }

    @Nested
    class UnderLoad extends DeliveryLoadRules {
        UnderLoad() {
            super(DeliveryContract.this::createEngine, size());
        }
    }

    @Nested
    class HotPath extends DeliveryHotPathRules {
        HotPath() {
            super(DeliveryContract.this::createEngine, size());
        }
    }

    @Nested
    class Restarts extends DeliveryRestartRules {
        Restarts() {
            super(DeliveryContract.this::createEngine, size());
        }
    }

    @Nested
    class WithoutRetention extends DeliveryDeletionRules {
        WithoutRetention() {
            super(DeliveryContract.this::createEngine, size());
        }
    }

    @Nested
    class Operators extends DeliveryWaitingRules {
        Operators() {
            super(DeliveryContract.this::createEngine, size());
        }
    }

    @Nested
    class Listeners extends DeliveryListenerRules {
        Listeners() {
            super(DeliveryContract.this::createEngine, size());
        }
    }
}
