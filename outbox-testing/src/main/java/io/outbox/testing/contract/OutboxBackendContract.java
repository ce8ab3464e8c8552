package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.Capability;
import io.outbox.spi.OutboxBackend;
import io.outbox.testing.contract.ClaimRaceRules.RaceSize;
import java.util.EnumSet;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link OutboxBackend} as tests. An engine that passes them has every {@link Capability} and can be
 * delivered from in every mode.
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
 * <p>The rules stand in groups, each rule on an engine of its own. To run one of them with Maven, name its group too:
 * {@code -Dtest='MyBackendTest,*Leases#aReleasedEventIsClaimableAtOnce'}.
 *
 * <p>The tests run one after the other, with real threads and, unless the engine's clock can be moved, in real time:
 * they wait for leases of a fifth of a second. What the tests read out of {@link OutboxBackend}'s rules in detail:
 *
 * <ul>
 *   <li>A batch that has an id twice, or one that is stored already, is refused as a whole.
 *   <li>A lock remembers when it was taken or last renewed. It has run out for a claimant whose own lease was shorter,
 *       at the time the claim goes by, than the lock's age; until someone takes the event over, its holder may still
 *       renew and complete it.
 *   <li>A walk from cursor to cursor meets no event twice. What becomes due or free behind it is found from the front.
 *   <li>Outcomes without an owner count whoever holds the event.
 *   <li>Repeating outcomes, together or one by one, reports the same and changes nothing. A failure is not counted again
 *       if the event waits for the retry of just that time and its count is beyond the one the failure started from. It
 *       is reported as standing if the event has its time and its error.
 *   <li>A failure that uses up the budget counts its attempt too; {@code Dead} counts none.
 *   <li>{@code fetch} ignores locks. Events of a page, and of a claim, stand in order of creation.
 * </ul>
 *
 * <p>The random test compares the engine with a model of these rules. It prints its seed on failure; run it again with
 * {@code -Doutbox.seed=<seed>}.
 */
public abstract class OutboxBackendContract {

    /** Returns an engine on an empty store; called before each test. */
    protected abstract EngineUnderTest createEngine() throws Exception;

    /** How many threads claim at the same time. */
    protected int concurrentClaimers() {
        return 8;
    }

    /** How many events they compete for in each round. */
    protected int claimedEventsPerRound() {
        return 200;
    }

    /** How often each race is run. */
    protected int claimRounds() {
        return 8;
    }

    /** How many random operations are compared with the model. */
    protected int randomOperations() {
        return 3_000;
    }

    @Nested
    class Transactions extends TransactionRules {
        Transactions() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Writing extends PersistRules {
        Writing() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Fidelity extends FidelityRules {
        Fidelity() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Fetching extends FetchRules {
        Fetching() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Backlog extends BacklogRules {
        Backlog() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Claiming extends ClaimRules {
        Claiming() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class ClaimRaces extends ClaimRaceRules {
        ClaimRaces() {
            super(
                    OutboxBackendContract.this::createEngine,
                    new RaceSize(concurrentClaimers(), claimedEventsPerRound(), claimRounds()));
        }
    }

    @Nested
    class Leases extends LeaseRules {
        Leases() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Outcomes extends OutcomeRules {
        Outcomes() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Fencing extends FencingRules {
        Fencing() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Repetition extends RepetitionRules {
        Repetition() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Deletion extends DeletionRules {
        Deletion() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Purging extends PurgeRules {
        Purging() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class DeadEvents extends DeadEventRules {
        DeadEvents() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class WaitingEvents extends WaitingRules {
        WaitingEvents() {
            super(OutboxBackendContract.this::createEngine);
        }
    }

    @Nested
    class Whole extends EngineRules {
        Whole() {
            super(OutboxBackendContract.this::createEngine);
        }

        @Test
        void theEngineCanDoEverythingButWhatOnlyOrderNeeds() {
            assertThat(backend.capabilities())
                    .containsAll(EnumSet.complementOf(EnumSet.of(Capability.KEYED, Capability.LOCK_KEYS)));
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
}
