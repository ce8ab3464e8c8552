package io.outbox.jdbc.fault;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.support.TestDatabase;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.concurrent.CountDownLatch;

/**
 * Delivers a backlog with a listener that does nothing, closes, and ends. Any error of the JVM ends it with failure.
 */
final class DrainMain {

    private DrainMain() {}

    /** Arguments: JDBC URL, event type, number of events. */
    public static void main(String[] args) throws InterruptedException {
        CountDownLatch left = new CountDownLatch(Integer.parseInt(args[2]));
        DefaultListenerRegistry listeners = new DefaultListenerRegistry();
        listeners.register(args[1], event -> {
            left.countDown();
            return DispatchResult.done();
        });
        try (HikariDataSource pool = TestDatabase.pool(args[0], 5);
                Outbox outbox = Outbox.singleNode()
                        .backend(JdbcOutbox.of(pool).backend())
                        .listenerRegistry(listeners)
                        .batchSize(500)
                        .startManually()
                        .build()) {
            outbox.start();
            left.await();
        }
    }
}
