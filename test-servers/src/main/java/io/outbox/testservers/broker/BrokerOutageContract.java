package io.outbox.testservers.broker;

import static io.outbox.testservers.broker.Outcomes.TYPE;
import static io.outbox.testservers.broker.Outcomes.events;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.LanePolicy;
import io.outbox.model.UnavailableTarget;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.sender.SenderBuilder;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An outage shows within seconds and with its cause, at the default timeouts, and costs neither attempts nor order. */
@Timeout(240)
public abstract class BrokerOutageContract extends BrokerContract {

    protected static final Duration NOTICED = Duration.ofSeconds(5);
    /** To connect again, and to be let in, takes a busy machine some time. */
    private static final Duration BACK = Duration.ofSeconds(5);

    protected final InMemoryOutboxBackend backend = new InMemoryOutboxBackend();
    protected final List<String> written = new ArrayList<>();
    protected Outbox outbox;
    protected String target;
    private long doneBefore;

    /** A broker that has stopped to answer, or cannot be connected to. */
    protected enum Fault {
        STANDS_STILL,
        KILLED,
        SILENT,
        REFUSED
    }

    /** Returns what the shown cause of such an outage contains. */
    protected abstract String[] causeOf(Fault fault);

    @Test
    void aBrokerThatStandsStill() {
        startAndDeliver();

        broker().server().pause();
        awaitNotice(causeOf(Fault.STANDS_STILL));
        broker().server().resume();

        awaitReturn();
        assertArrived();
    }

    @Test
    void aBrokerThatIsKilled() {
        startAndDeliver();

        // nobody listens where a broker was; the proxy would take connections in its place, and drop them
        broker().proxy().refuse();
        broker().kill();
        try {
            awaitNotice(causeOf(Fault.KILLED));
        } finally {
            broker().server().restart();
            broker().proxy().accept();
        }

        awaitReturn();
        assertArrivedAfterKill();
    }

    @Test
    void aNetworkThatIsSilentInMidBatch() {
        startAndDeliver();

        broker().proxy().stallAnswers();
        awaitNotice(causeOf(Fault.SILENT));
        broker().proxy().resume();

        awaitReturn();
        assertArrived();
    }

    @Test
    void aNetworkThatCannotBePassed() {
        startAndDeliver();

        broker().proxy().refuse();
        broker().proxy().resetAll();
        awaitNotice(causeOf(Fault.REFUSED));
        broker().proxy().accept();

        awaitReturn();
        assertArrived();
    }

    protected final void startAndDeliver() {
        target = broker().newTarget();
        start(sender(target, SenderBuilder.DEFAULT_EMERGENCY_TIMEOUT));
        write(1);
        awaitDone();
    }

    protected final void start(BatchEventListener sender) {
        outbox = track(Outbox.singleNode()
                .backend(backend)
                .listenerRegistry(new DefaultListenerRegistry().register(TYPE, sender))
                .lane(TYPE, LanePolicy.builder().maxAttempts(1).build())
                .build());
    }

    protected final void write(int count) {
        backend.inTransaction(() -> written.addAll(outbox.writer().writeAll(events(count))));
    }

    protected final void awaitNotice(String... cause) {
        write(20);
        awaitCause(cause);
        write(20);
        doneBefore = done(backend);
    }

    /** Waits until the outage shows with this cause. */
    protected void awaitCause(String... cause) {
        await().atMost(NOTICED).untilAsserted(() -> assertCause(cause));
    }

    protected final void assertCause(String... cause) {
        assertThat(outbox.status().unavailable()).singleElement().satisfies(shown -> {
            assertThat(shown.eventType()).isEqualTo(TYPE);
            assertThat(shown).extracting(UnavailableTarget::cause).asString().contains(cause);
        });
    }

    /**
     * The first event is out soon, which is a second on a machine with nothing else to do, and all are after a while,
     * uncounted.
     */
    protected final void awaitReturn() {
        long back = System.nanoTime();
        await().pollInterval(5, TimeUnit.MILLISECONDS)
                .atMost(Duration.ofSeconds(20))
                .until(() -> done(backend) > doneBefore);
        Duration took = Duration.ofNanos(System.nanoTime() - back);
        awaitDone();

        assertThat(took).as("until the first event was out").isLessThan(BACK);
        assertThat(outbox.status().unavailable()).isEmpty();
        assertNoAttempts(backend);
    }

    protected final void awaitDone() {
        await().atMost(Duration.ofSeconds(30)).until(() -> done(backend) == written.size());
    }

    /** Each event arrived once, and in order. */
    protected final void assertArrived() {
        assertThat(broker().eventIds(target)).isEqualTo(written);
    }

    protected void assertArrivedAfterKill() {
        assertArrived();
    }
}
