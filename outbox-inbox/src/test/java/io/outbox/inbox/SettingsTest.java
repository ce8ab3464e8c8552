package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.spi.TxContext;
import io.outbox.testservers.support.CapturedLog;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What can be set, and what is refused. */
class SettingsTest {

    private final String url = TestDatabase.H2.newUrl();
    private final Node node = new Node(url);

    @AfterEach
    void close() {
        node.close();
    }

    @Test
    void settingsThatMakeNoSenseAreRefused() {
        InboxCleanUp.Builder cleanUp = node.inbox().cleanUp();
        JdbcInbox.ConsumerBuilder consumer = node.inbox().consumer();

        for (ThrowingCallable setting : new ThrowingCallable[] {
            () -> cleanUp.ttl(Duration.ZERO),
            () -> cleanUp.ttl(Duration.ofSeconds(-1)),
            () -> cleanUp.batchSize(0),
            () -> cleanUp.initialDelay(Duration.ofSeconds(-1)),
            () -> cleanUp.fixedDelay(Duration.ZERO),
            () -> cleanUp.consumer(" "),
            () -> consumer.idHeader(" "),
            () -> node.inbox().withTable("a; DROP TABLE b")
        }) {
            assertThatIllegalArgumentException().isThrownBy(setting);
        }
        for (ThrowingCallable setting : new ThrowingCallable[] {
            () -> cleanUp.ttl(null),
            () -> cleanUp.initialDelay(null),
            () -> cleanUp.fixedDelay(null),
            () -> cleanUp.metrics(null),
            () -> consumer.name(null),
            () -> consumer.cache(null),
            () -> consumer.metrics(null),
            () -> consumer.headerReader(null),
            () -> consumer.unidentified(null),
            () -> JdbcInbox.of(new JdbcDataSource(), null)
        }) {
            assertThatNullPointerException().isThrownBy(setting);
        }
    }

    @Test
    void aCleanUpThatFailsIsLoggedOnceAndTriesAgain() {
        try (CapturedLog log = CapturedLog.open();
                InboxCleanUp cleanUp =
                        node.inbox().withTable("missing").cleanUp().build()) {
            cleanUp.runOnce();
            cleanUp.runOnce();

            assertThat(log.warnings()).singleElement().asString().contains("every run tries again");
        }
    }

    @Test
    void aCleanUpThatIsClosedDoesNotStart() {
        InboxCleanUp cleanUp = node.inbox().cleanUp().build();
        cleanUp.close();
        cleanUp.close();

        assertThatIllegalStateException().isThrownBy(cleanUp::start).withMessageContaining("closed");
    }

    @Test
    void theTransactionsMayBeThoseOfAFramework() throws SQLException {
        AtomicInteger begun = new AtomicInteger();
        InboxTransactions ours = node.inbox().transactions();
        JdbcDataSource dataSource = new JdbcDataSource();
        dataSource.setURL(url);
        JdbcInbox inbox = JdbcInbox.of(dataSource, new InboxTransactions() {
            @Override
            public TxContext context() {
                return ours.context();
            }

            @Override
            public <R> R run(Callable<R> work) throws Exception {
                begun.incrementAndGet();
                return ours.run(work);
            }
        });
        OutboxIdempotentConsumer consumer = inbox.consumer().build();

        consumer.consumeById("a", () -> node.effect("a"));
        consumer.consumeById("a", () -> node.effect("a"));

        assertThat(begun).hasValue(2);
        assertThat(node.effects()).containsExactly("a");
        try (Connection conn = node.openConnection()) {
            assertThat(conn.getAutoCommit()).isTrue();
        }
        assertThatIllegalStateException().isThrownBy(inbox::currentConnection);
    }
}
