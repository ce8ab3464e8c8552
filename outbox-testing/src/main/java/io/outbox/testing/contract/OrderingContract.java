package io.outbox.testing.contract;

import java.time.Duration;
import org.junit.jupiter.api.Nested;

/**
 * Order by key on an engine with {@link io.outbox.spi.Capability#KEYED}: events of one key arrive in the order in which
 * they were written, on one node and on several, through failures and takeovers, and no key waits for another.
 *
 * <p>To test an engine, describe it as an {@link EngineUnderTest} in real time, on a store that has what order by key
 * needs, and extend this class; see {@link DeliveryContract}.
 */
public abstract class OrderingContract {

    /** Returns an engine on an empty store; called before each test. */
    protected abstract EngineUnderTest createEngine() throws Exception;

    /** How many threads write at the same time. */
    protected int writers() {
        return 6;
    }

    /** How many transactions each of them makes. */
    protected int transactionsPerWriter() {
        return 40;
    }

    /** How many nodes share the store in multi-node tests. */
    protected int nodes() {
        return 3;
    }

    /** How long a test waits for deliveries; less than any lease in these tests that must not be waited for. */
    protected Duration patience() {
        return Duration.ofSeconds(30);
    }

    private DeliveryRules.LoadSize size() {
        return new DeliveryRules.LoadSize(writers(), transactionsPerWriter(), nodes(), patience());
    }

    @Nested
    class Delivery extends OrderingRules {
        Delivery() {
            super(OrderingContract.this::createEngine, size());
        }
    }

    @Nested
    class Claims extends KeyedClaimRules {
        Claims() {
            super(OrderingContract.this::createEngine);
        }
    }
}
