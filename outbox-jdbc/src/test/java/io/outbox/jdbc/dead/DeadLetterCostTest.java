package io.outbox.jdbc.dead;

import static io.outbox.jdbc.support.OnConnection.delivery;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.support.TestDatabase;
import io.outbox.spi.Outcome;
import io.outbox.spi.OwnershipStore;
import io.outbox.testservers.support.Intercepted;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What dead letters cost those events that do not fail: nothing. */
class DeadLetterCostTest {

    @ParameterizedTest
    @EnumSource
    void outcomesThatAreNoFailuresTakeTheSameCalls(TestDatabase database) throws SQLException {
        try (DeadLetterFixture fixture = new DeadLetterFixture(database.newUrl())) {
            for (Function<String, Outcome> outcome : List.<Function<String, Outcome>>of(
                    id -> new Outcome.Done(id, Instant.EPOCH),
                    id -> new Outcome.Done(id, Instant.EPOCH, false),
                    id -> new Outcome.Deferred(id, Instant.EPOCH))) {
                List<String> with = calls(fixture, fixture.store(), outcome);
                List<String> without = calls(fixture, fixture.store().outboxStore(), outcome);

                assertThat(with).isEqualTo(without).isNotEmpty();
            }
        }
    }

    private static List<String> calls(
            DeadLetterFixture fixture, OwnershipStore store, Function<String, Outcome> outcome) throws SQLException {
        List<String> ids = fixture.write(10, "node");
        List<String> calls = new ArrayList<>();
        try (Connection conn = fixture.pool().getConnection()) {
            Connection recorded = Intercepted.connection(conn, call -> {
                if (call.name().startsWith("execute") || call.name().equals("commit")) {
                    calls.add(call.name() + " " + call.sql());
                }
                return call.proceed();
            });
            assertThat(delivery(store, recorded)
                            .apply("node", ids.stream().map(outcome).toList()))
                    .hasSize(10);
        }
        return calls;
    }
}
