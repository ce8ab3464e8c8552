package io.outbox.testing;

import io.outbox.spi.OutboxBackend;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link OutboxBackend} as tests. An engine that passes them can be delivered from in every mode.
 *
 * <p>To test an engine, describe it once as an {@link EngineUnderTest} and extend this class:
 *
 * <pre>{@code
 * class MyBackendTest extends OutboxBackendContract {
 *     @Override
 *     protected EngineUnderTest createEngine() {
 *         return new MyEngine(); // on an empty store
 *     }
 * }
 * }</pre>
 *
 * <p>The tests run one after the other, with real threads and, unless the engine's clock can be moved, in real time:
 * they wait for leases of a fifth of a second. What the tests read out of {@link OutboxBackend}'s rules in detail:
 *
 * <ul>
 *   <li>A lock remembers when it was taken or last renewed. It has run out for a claimant whose own lease is shorter
 *       than the lock's age; until someone takes the event over, its holder may still renew and complete it.
 *   <li>Outcomes without an owner count whoever holds the event.
 *   <li>Repeating outcomes reports the same and changes nothing. A failure counts as a repetition if the event's due
 *       time and error are those of the failure and its count is beyond the one the failure started from.
 *   <li>{@code Done} outcomes that are applied together may all end at the time of one of them.
 *   <li>A failure that uses up the budget counts its attempt too; {@code Dead} counts none.
 *   <li>{@code fetch} ignores locks. Events of a page, and of a claim, stand in order of creation.
 * </ul>
 *
 * <p>The random test compares the engine with a model of these rules. It prints its seed on failure; run it again with
 * {@code -Doutbox.seed=<seed>}.
 */
public abstract class OutboxBackendContract extends OperatorRules {

    /** How many random operations are compared with the model. */
    protected int randomOperations() {
        return 3_000;
    }

    @Test
    void behavesAsTheModelUnderRandomOperations() {
        long seed = Long.getLong("outbox.seed", System.nanoTime());
        try {
            new BackendModelRun(engine, seed).run(randomOperations());
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError("With -Doutbox.seed=" + seed + ": " + e.getMessage(), e);
        }
    }
}
