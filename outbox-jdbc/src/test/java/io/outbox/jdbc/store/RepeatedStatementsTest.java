package io.outbox.jdbc.store;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static io.outbox.jdbc.support.OnConnection.housekeeping;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.support.DeliveryFixture;
import io.outbox.jdbc.support.GivenUp;
import io.outbox.jdbc.support.OutboxRows;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.DeadQuery;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Statements that the database gives up in favour of others. */
class RepeatedStatementsTest {

    private static final String OWNER = "node";
    private static final Lease LEASE = new Lease(OWNER, Duration.ofMinutes(5));
    private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
    private static final int FAILURES = 2;

    private final HikariDataSource pool = TestDatabase.pool(TestDatabase.H2.newUrl(), 2);
    private final AbstractJdbcOutboxStore store =
            JdbcOutbox.of(pool).createSchema().store();
    private final List<String> held = List.of("held-0", "held-1", "held-2", "held-3");
    private final List<String> dead = List.of("dead-0", "dead-1");

    @BeforeEach
    void storeEvents() throws SQLException {
        try (Connection conn = pool.getConnection()) {
            store.insert(
                    conn,
                    held.stream().map(id -> new NewEvent(event(id), OWNER)).toList());
            store.insertBatch(
                    conn, dead.stream().map(RepeatedStatementsTest::event).toList());
            dead.forEach(id -> store.markDead(conn, id, "hopeless"));
            store.insertBatch(conn, List.of(event("free-0"), event("free-1")));
        }
    }

    @AfterEach
    void close() {
        pool.close();
    }

    private static EventEnvelope event(String id) {
        return EventEnvelope.builder(DeliveryFixture.TYPE)
                .eventId(id)
                .occurredAt(NOW.minusSeconds(60))
                .payloadJson("{}")
                .build();
    }

    /** Something to be done with the store on a connection. */
    private enum Operation {
        INSERT {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                test.store.insertBatch(conn, List.of(event("new-0"), event("new-1")));
                assertThat(test.number("event_id LIKE 'new-%'")).isEqualTo(2);
            }
        },
        INSERT_OWNED {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store
                                .insert(
                                        conn,
                                        List.of(new NewEvent(event("new-0"), OWNER), NewEvent.unowned(event("new-1"))))
                                .locked())
                        .containsExactly("new-0");
            }
        },
        POLL {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.pollPending(conn, NOW, Duration.ZERO, 10)).hasSize(6);
            }
        },
        FETCH {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn)
                                .fetch(FetchRequest.first(NOW, 10))
                                .items())
                        .hasSize(6);
            }
        },
        CLAIM {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn)
                                .claim(ClaimRequest.first(LEASE, NOW, 10))
                                .events())
                        .hasSize(2);
            }
        },
        CLAIM_AS_SPECIFIED {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.claimPending(conn, OWNER, NOW, NOW.minus(LEASE.duration()), Duration.ZERO, 10))
                        .hasSize(2);
            }
        },
        DONE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                List<Outcome> outcomes = List.of(new Outcome.Done("held-0", NOW), new Outcome.Done("held-1", NOW));
                assertThat(delivery(test.store, conn).apply(OWNER, outcomes)).hasSize(2);
            }
        },
        ALL_OUTCOMES {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                List<Outcome> outcomes = List.of(
                        new Outcome.Done("held-0", NOW),
                        new Outcome.Failed("held-1", NOW, 0, 10, "broken"),
                        new Outcome.Deferred("held-2", NOW),
                        new Outcome.Dead("held-3", "hopeless"));
                assertThat(delivery(test.store, conn).apply(OWNER, outcomes)).hasSize(4);
                assertThat(test.number("event_id = 'held-1' AND attempts = 1")).isOne();
            }
        },
        MARK_DONE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.markDone(conn, "held-0")).isOne();
            }
        },
        MARK_RETRY {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.markRetry(conn, "held-0", NOW, "broken")).isOne();
                assertThat(test.number("event_id = 'held-0' AND attempts = 1")).isOne();
            }
        },
        MARK_DEFERRED {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.markDeferred(conn, "held-0", NOW)).isOne();
            }
        },
        MARK_DEAD {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.markDead(conn, "held-0", "hopeless")).isOne();
            }
        },
        RENEW {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn).renew(OWNER, test.held)).hasSize(4);
            }
        },
        RELEASE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn).release(OWNER, test.held)).isEqualTo(4);
            }
        },
        OLDEST_DUE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn).oldestDueAt(NOW)).isPresent();
            }
        },
        NEXT_DUE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(delivery(test.store, conn).nextDueAt(NOW)).isEmpty();
            }
        },
        PENDING {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(housekeeping(test.store, conn).pending(NOW)).hasSize(1);
            }
        },
        COUNTS {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(housekeeping(test.store, conn).counts()).hasSize(1);
            }
        },
        QUERY_DEAD {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(housekeeping(test.store, conn)
                                .queryDead(new DeadQuery(null, null, 10, null))
                                .items())
                        .hasSize(2);
            }
        },
        COUNT_DEAD {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.countDead(conn, null)).isEqualTo(2);
            }
        },
        QUERY_DEAD_AS_SPECIFIED {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.queryDead(conn, null, null, 10)).hasSize(2);
            }
        },
        REPLAY_ONE {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(test.store.replayDead(conn, "dead-0")).isOne();
            }
        },
        REPLAY_DEAD {
            @Override
            void run(RepeatedStatementsTest test, Connection conn) {
                assertThat(housekeeping(test.store, conn).replayDead(test.dead)).isEqualTo(2);
            }
        };

        /** Does it and checks its effect. */
        abstract void run(RepeatedStatementsTest test, Connection conn);
    }

    private long number(String condition) {
        return OutboxRows.number(pool, "SELECT COUNT(*) FROM outbox_event WHERE " + condition);
    }

    static Stream<Arguments> everyOperationAndFailure() {
        return Stream.of(Operation.values())
                .flatMap(operation -> Stream.of(GivenUp.values()).map(failure -> Arguments.of(operation, failure)));
    }

    @ParameterizedTest
    @MethodSource("everyOperationAndFailure")
    void theyAreRepeated(Operation operation, GivenUp failure) throws SQLException {
        GivenUp.First faults = new GivenUp.First(FAILURES, failure, store.tableName());
        try (Connection conn = Intercepted.connection(pool.getConnection(), faults)) {
            operation.run(this, conn);

            assertThat(faults.executions()).isGreaterThan(FAILURES);
            assertThat(conn.getAutoCommit()).isTrue();
        }
    }

    /** The others have connections of their own. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "INSERT",
                "INSERT_OWNED",
                "POLL",
                "CLAIM_AS_SPECIFIED",
                "MARK_DONE",
                "MARK_RETRY",
                "MARK_DEFERRED",
                "MARK_DEAD",
                "QUERY_DEAD_AS_SPECIFIED",
                "COUNT_DEAD",
                "REPLAY_ONE"
            })
    void inATransactionOfTheCallersTheyAreNot(Operation operation) throws SQLException {
        GivenUp.First faults = new GivenUp.First(1, GivenUp.SERIALIZATION_FAILURE, store.tableName());
        try (Connection conn = Intercepted.connection(pool.getConnection(), faults)) {
            conn.setAutoCommit(false);

            assertThatThrownBy(() -> operation.run(this, conn)).isInstanceOf(OutboxStoreException.class);

            assertThat(faults.executions()).isOne();
            assertThat(conn.getAutoCommit()).isFalse();
            conn.rollback();
        }
    }

    @Test
    void notForEver() throws SQLException {
        GivenUp.First faults = new GivenUp.First(Integer.MAX_VALUE, GivenUp.SERIALIZATION_FAILURE, store.tableName());
        try (Connection conn = Intercepted.connection(pool.getConnection(), faults)) {
            assertThatThrownBy(() -> delivery(store, conn).renew(OWNER, held)).isInstanceOf(OutboxStoreException.class);

            assertThat(faults.executions()).isBetween(FAILURES + 1, 20);
        }
    }

    /** MySQL waits for 50 seconds by default, so that ten such waits would take longer than any lease. */
    @Test
    void aWaitForALockThatTookTooLongIsNotRepeated() throws SQLException {
        int[] executions = {0};
        try (Connection conn = Intercepted.connection(pool.getConnection(), call -> {
            if (call.executes(store.tableName())) {
                executions[0]++;
                throw new SQLException("Lock wait timeout exceeded", "40001", 1205);
            }
            return call.proceed();
        })) {
            assertThatThrownBy(() -> store.replayDead(conn, "dead-0")).isInstanceOf(OutboxStoreException.class);

            assertThat(executions[0]).isOne();
        }
    }

    @Test
    void otherFailuresAreNotRepeated() throws SQLException {
        OutboxRows.execute(pool, "ALTER TABLE outbox_event DROP COLUMN locked_at");
        GivenUp.First counting = new GivenUp.First(0, GivenUp.SERIALIZATION_FAILURE, store.tableName());
        int[] prepared = {0};
        try (Connection conn = Intercepted.connection(pool.getConnection(), call -> {
            boolean isChange = call.name().equals("prepareStatement") && ((String) call.args()[0]).startsWith("UPDATE");
            prepared[0] += isChange ? 1 : 0;
            return counting.intercept(call);
        })) {
            assertThatThrownBy(() -> delivery(store, conn).renew(OWNER, held)).isInstanceOf(OutboxStoreException.class);

            assertThat(prepared[0]).isOne();
        }
    }
}
