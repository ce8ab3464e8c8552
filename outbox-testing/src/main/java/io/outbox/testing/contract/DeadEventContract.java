package io.outbox.testing.contract;

import io.outbox.spi.DeadEventBackend;
import org.junit.jupiter.api.Nested;

/**
 * The rules of {@link DeadEventBackend} as tests, for engines that operators can look into: the same for an engine that
 * leaves dead events in the outbox, and for one that keeps them apart as dead letters from their death on.
 */
public abstract class DeadEventContract {

    /** Returns an engine on an empty store; called before each test. */
    protected abstract EngineUnderTest createEngine() throws Exception;

    @Nested
    class Operators extends OperatorRules {
        Operators() {
            super(DeadEventContract.this::createEngine);
        }
    }
}
