package io.outbox.internal.polling;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spi.EventTypes;
import io.outbox.support.Gate;
import io.outbox.support.Node;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class ScheduleTest {

    private final List<PollFeed> feeds = new CopyOnWriteArrayList<>();
    private final AtomicReference<Runnable> meanwhile = new AtomicReference<>();

    private record Feed(EventTypes types) implements PollFeed {

        @Override
        public int availableCapacity() {
            return 1;
        }

        @Override
        public void whenCapacityFrees(Runnable action) {}

        @Override
        public int batchSize() {
            return 0;
        }

        @Override
        public Duration interval() {
            return null;
        }
    }

    /** Returns a target that is asked for nothing but its feeds, and lets something happen when it has listed them. */
    private PollTarget target() {
        return (PollTarget) Proxy.newProxyInstance(
                PollTarget.class.getClassLoader(), new Class<?>[] {PollTarget.class}, (proxy, method, arguments) -> {
                    List<PollFeed> listed = List.copyOf(feeds);
                    Runnable action = meanwhile.getAndSet(null);
                    if (action != null) {
                        action.run();
                    }
                    return listed;
                });
    }

    private Schedule schedule(PollSettings settings) {
        PollTarget target = target();
        return new Schedule(target, settings, new StoreTime(null, target, settings));
    }

    @Test
    void aCallForAFeedThatIsNewerThanTheListIsNotForgotten() {
        PollSettings settings = new PollSettings();
        settings.intervalMs(Node.NEVER_MS);
        Schedule schedule = schedule(settings);
        try {
            feeds.add(new Feed(EventTypes.only("Old")));
            schedule.feeds();
            meanwhile.set(() -> {
                feeds.add(new Feed(EventTypes.only("Fresh")));
                schedule.dueIn(EventTypes.only("Fresh"), 500);
            });

            schedule.feeds();

            FeedState fresh = schedule.feeds().get(1);
            assertThat(schedule.beginDue(Set.of()))
                    .as("a new feed is read at once")
                    .contains(fresh);
            assertThat(fresh.dueAtNanos() - System.nanoTime()).isLessThan(TimeUnit.SECONDS.toNanos(1));
        } finally {
            schedule.close();
        }
    }

    /** Which types it has may be for the application to say. */
    @Test
    void aFeedThatTakesItsTimeToTellItsTypesHoldsUpNoOther() throws Exception {
        Gate gate = new Gate();
        PollFeed slow = (PollFeed) Proxy.newProxyInstance(
                PollFeed.class.getClassLoader(), new Class<?>[] {PollFeed.class}, (proxy, method, arguments) -> {
                    gate.pass();
                    return EventTypes.only("Slow");
                });
        Schedule schedule = schedule(new PollSettings());
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try {
            feeds.add(slow);
            Future<?> waiting = threads.submit(() -> schedule.dueNow(EventTypes.only("Slow")));
            gate.awaitReached();
            feeds.clear();
            feeds.add(new Feed(EventTypes.only("Other")));

            threads.submit(() -> schedule.dueNow(EventTypes.only("Other"))).get(20, TimeUnit.SECONDS);

            assertThat(waiting.isDone()).isFalse();
        } finally {
            gate.open();
            threads.shutdown();
            schedule.close();
        }
    }
}
