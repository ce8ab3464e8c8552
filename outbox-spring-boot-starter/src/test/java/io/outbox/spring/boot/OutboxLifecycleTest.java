package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.testservers.support.LogLines;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

class OutboxLifecycleTest {

    private static final String LOG_INFO = "--logging.level.io.outbox=info";

    private final String url = "jdbc:h2:mem:" + UUID.randomUUID();
    private Set<Thread> threadsBefore;
    private Connection keepsDatabaseAlive;

    /** Contexts that the test framework caches for other classes may have outboxes that run. */
    @BeforeEach
    void rememberThreads() {
        threadsBefore = outboxThreads();
    }

    private static Set<Thread> outboxThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("outbox-"))
                .collect(Collectors.toSet());
    }

    @BeforeEach
    void open() throws SQLException {
        keepsDatabaseAlive = DriverManager.getConnection(url, "sa", "");
    }

    @AfterEach
    void close() throws SQLException {
        keepsDatabaseAlive.close();
        await().untilAsserted(() -> assertThat(threadsBefore).containsAll(outboxThreads()));
    }

    private ConfigurableApplicationContext start(String arguments, Class<?>... configurations) {
        return new SpringApplicationBuilder(TestApplication.class)
                .sources(configurations)
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=" + url, "spring.datasource.username=sa", "outbox.poller.interval-ms=50")
                .run(arguments.split(" "));
    }

    private int count(String condition) throws SQLException {
        try (Statement statement = keepsDatabaseAlive.createStatement();
                ResultSet rows =
                        statement.executeQuery("SELECT COUNT(*) FROM outbox_event WHERE status " + condition)) {
            rows.next();
            return rows.getInt(1);
        }
    }

    @Test
    void deliversABacklogOnlyOnceListenersAreRegistered() throws SQLException {
        try (ConfigurableApplicationContext writer = start("--outbox.mode=writer-only")) {
            for (int i = 0; i < 50; i++) {
                write(writer, "Placed", String.valueOf(i));
            }
        }
        try (ConfigurableApplicationContext application = start("", LateListener.class)) {
            LateListener listener = application.getBean(LateListener.class);
            await().untilAsserted(() -> assertThat(count("= 1")).isEqualTo(50));
            assertThat(count("= 3")).isZero();
            assertThat(listener.calledBeforeStart).isFalse();
        }
    }

    /** A listener with a slow bean after it. */
    @Configuration(proxyBeanMethods = false)
    static class LateListener {
        private final AtomicBoolean complete = new AtomicBoolean();
        private final AtomicBoolean calledBeforeStart = new AtomicBoolean();

        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener placed() {
            return event -> {
                calledBeforeStart.compareAndSet(false, !complete.get());
                return DispatchResult.done();
            };
        }

        @Bean
        org.springframework.beans.factory.SmartInitializingSingleton last() {
            return () -> complete.set(true);
        }
    }

    @Test
    void drainsBeforeThePoolCloses() throws Exception {
        ConfigurableApplicationContext application = start("--outbox.dispatcher.worker-count=1", SlowListener.class);
        SlowListener listener = application.getBean(SlowListener.class);
        HikariDataSource pool = application.getBean(HikariDataSource.class);
        for (int i = 0; i < 5; i++) {
            write(application, "Placed", String.valueOf(i));
        }
        listener.entered.await();
        Thread closing = new Thread(application::close, "closing");
        closing.start();
        await().until(() -> application.getBean(Outbox.class).state() == State.CLOSED);
        assertThat(pool.isClosed()).isFalse();
        listener.leave.countDown();
        closing.join();
        assertThat(pool.isClosed()).isTrue();
        assertThat(count("= 1")).isEqualTo(5);
    }

    /** A listener that waits at its first event. */
    @OutboxListener(eventType = "Placed")
    static class SlowListener implements EventListener {
        private final CountDownLatch entered = new CountDownLatch(1);
        private final CountDownLatch leave = new CountDownLatch(1);

        @Override
        public DispatchResult onEvent(EventEnvelope event) throws InterruptedException {
            entered.countDown();
            leave.await();
            return DispatchResult.done();
        }
    }

    @Test
    void saysOnceWhatTheOutboxDoesWhenItsListenersAreKnown() {
        try (LogLines log = new LogLines();
                ConfigurableApplicationContext application = start(
                        "--outbox.purge.enabled=true --outbox.listeners.placed.concurrency=2 " + LOG_INFO,
                        Deliveries.class)) {
            application.stop();
            application.start();
            assertThat(log.at(Level.INFO))
                    .filteredOn(line -> line.startsWith("Outbox in table"))
                    .containsExactly("Outbox in table outbox_event: mode single-node, 4 workers, 10 attempts, polling"
                            + " every 50ms; listeners for [Placed]; lanes [Placed]; finished events kept for 7d");
        }
    }

    @Test
    void saysThatFinishedEventsAreNotKept() {
        try (LogLines log = new LogLines();
                ConfigurableApplicationContext application =
                        start("--outbox.purge.enabled=true --outbox.purge.retention=0 " + LOG_INFO, Deliveries.class)) {
            assertThat(application.isRunning()).isTrue();
            assertThat(log.at(Level.INFO))
                    .filteredOn(line -> line.startsWith("Outbox in table"))
                    .singleElement()
                    .asString()
                    .endsWith("; finished events deleted immediately, DEAD ones kept until they are replayed");
        }
    }

    @Test
    void saysSoTooWhereDeliveryIsStartedByHand() {
        try (LogLines log = new LogLines();
                ConfigurableApplicationContext application =
                        start("--outbox.auto-startup=false " + LOG_INFO, Deliveries.class)) {
            assertThat(log.at(Level.INFO))
                    .filteredOn(line -> line.startsWith("Outbox in table"))
                    .singleElement()
                    .asString()
                    .contains("delivery not started; listeners for [Placed]; no purge");
            application.getBean(Outbox.class).start();
        }
    }

    @Test
    void pausesWhileTheContextIsStopped() throws SQLException {
        try (ConfigurableApplicationContext application = start("", Deliveries.class)) {
            write(application, "Placed", "1");
            awaitPayloads(application, "1");
            application.stop();
            assertThat(application.getBean(Outbox.class).state()).isEqualTo(State.PAUSED);
            write(application, "Placed", "2");
            assertThat(count("= 0")).isEqualTo(1);
            application.start();
            awaitPayloads(application, "1", "2");
        }
    }

    @Test
    void leavesAnOutboxPausedThatWasPausedBefore() {
        try (ConfigurableApplicationContext application = start("", Deliveries.class)) {
            Outbox outbox = application.getBean(Outbox.class);
            outbox.pause();
            application.stop();
            application.start();
            assertThat(outbox.state()).isEqualTo(State.PAUSED);
        }
    }

    @Test
    void closesTheOutboxOfAnApplicationThatFailsToStart() {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        try {
            start("", Deliveries.class, Broken.class);
        } catch (RuntimeException e) {
            failure.set(e);
        }
        assertThat(failure.get()).hasStackTraceContaining("broken on purpose");
    }

    @Configuration(proxyBeanMethods = false)
    static class Broken {
        @Bean
        org.springframework.beans.factory.SmartInitializingSingleton broken() {
            return () -> {
                throw new IllegalStateException("broken on purpose");
            };
        }
    }
}
