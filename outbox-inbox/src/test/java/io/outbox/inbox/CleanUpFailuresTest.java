package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testservers.support.CapturedLog;
import io.outbox.testservers.support.Intercepted;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an outage leaves behind: one line when it begins, one when it is over, and connections as they were. */
class CleanUpFailuresTest {

    private final List<String> autoCommit = new CopyOnWriteArrayList<>();
    private final AtomicInteger statements = new AtomicInteger();
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
            if (call.executes("outbox_consumed_event")) {
                statements.incrementAndGet();
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
    void consumersWithoutOldMarksCostTheSameHoweverManyTheyAre() {
        JdbcInbox inbox = inbox().createSchema();
        for (int count : List.of(1, 100)) {
            List<String> names =
                    IntStream.range(0, count).mapToObj(i -> "consumer-" + i).toList();
            try (InboxCleanUp cleanUp = inbox.cleanUp().consumers(names).build()) {
                autoCommit.clear();
                statements.set(0);
                cleanUp.runOnce();
            }
            assertThat(autoCommit).as("one connection").hasSize(2);
            assertThat(statements).as("statements for %d consumers", count).hasValue(1);
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
