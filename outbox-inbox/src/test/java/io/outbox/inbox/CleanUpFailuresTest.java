package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an outage leaves behind: one line when it begins, one when it is over, and connections as they were. */
class CleanUpFailuresTest {

    private final List<String> autoCommit = new CopyOnWriteArrayList<>();
    private volatile boolean isDown;
    private volatile boolean isDownForOne;

    private final HikariDataSource pool = new HikariDataSource();

    @AfterEach
    void close() {
        pool.close();
    }

    private JdbcInbox inbox() {
        pool.setJdbcUrl(TestDatabase.H2.newUrl());
        pool.setAutoCommit(false);
        return JdbcInbox.of(Intercepted.dataSource(pool, call -> {
            if (call.name().startsWith("setAutoCommit")) {
                autoCommit.add(call.name());
            }
            if ((isDown || isDownForOne) && call.executes("outbox_consumed_event")) {
                isDownForOne = false;
                throw new SQLException("the database is down");
            }
            return call.proceed();
        }));
    }

    @Test
    void anOutageIsLoggedOnceAndSoIsItsEnd() {
        JdbcInbox inbox = inbox().createSchema();
        try (CapturedLog log = CapturedLog.open();
                InboxCleanUp cleanUp = inbox.cleanUp().build()) {
            isDown = true;
            cleanUp.runOnce();
            cleanUp.runOnce();
            assertThat(log.warnings()).hasSize(1);

            isDown = false;
            cleanUp.runOnce();
            cleanUp.runOnce();
            assertThat(log.text()).containsOnlyOnce("works again");

            isDown = true;
            cleanUp.runOnce();
            assertThat(log.warnings()).hasSize(2);
        }
    }

    @Test
    void theOutageOfOneOfSeveralConsumersIsLoggedOnceToo() {
        JdbcInbox inbox = inbox().createSchema();
        try (CapturedLog log = CapturedLog.open();
                InboxCleanUp cleanUp = inbox.cleanUp()
                        .consumers(List.of("billing", "shipping"))
                        .build()) {
            for (int run = 0; run < 3; run++) {
                isDownForOne = true;
                cleanUp.runOnce();
            }
            assertThat(log.warnings()).hasSize(1);
            assertThat(log.text()).doesNotContain("works again");
        }
    }

    @Test
    void aConnectionGoesBackAsItCameAfterAFailureToo() {
        JdbcInbox inbox = inbox().createSchema();
        try (InboxCleanUp cleanUp = inbox.cleanUp().build()) {
            isDown = true;
            autoCommit.clear();
            cleanUp.runOnce();
        }
        assertThat(autoCommit).containsExactly("setAutoCommit true", "setAutoCommit false");
    }
}
