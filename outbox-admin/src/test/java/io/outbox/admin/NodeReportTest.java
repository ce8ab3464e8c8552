package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.RouteUnavailableException;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.time.Instant;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;

/** What a node tells others of itself. */
class NodeReportTest {

    private static final String ACCOUNT = "DE89370400440532013000";
    private static final PayloadMask NO_ACCOUNTS = new PayloadMask() {
        @Override
        public String error(String eventType, String error) {
            return error.replaceAll("[A-Z]{2}[0-9]{20}", "…");
        }
    };

    @Test
    void aLongCauseIsMaskedBeforeItIsCut() {
        JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:report;DB_CLOSE_DELAY=-1", "", "");
        JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
        for (int before = 100; before < 190; before += 10) {
            String cause = "x".repeat(before) + ACCOUNT + " is closed";
            try (Outbox outbox = Outbox.singleNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(new DefaultListenerRegistry().register("Order", "Paid", event -> {
                        throw new RouteUnavailableException(cause);
                    }))
                    .build()) {
                try (Transaction tx = jdbc.begin()) {
                    outbox.writer()
                            .write(EventEnvelope.builder("Paid")
                                    .aggregateType("Order")
                                    .payloadJson("{}")
                                    .build());
                    tx.commit();
                }
                await().atMost(Duration.ofSeconds(30))
                        .until(() -> !outbox.nodeStatus().unavailable().isEmpty());

                NodeReport report = NodeReport.parse(NodeReport.of(outbox, Instant.now(), null, NO_ACCOUNTS));

                assertThat(report.unavailable().get(0).cause()).contains("xxx").doesNotContain("DE89");
            }
        }
    }
}
