package io.outbox.testservers.broker;

import static io.outbox.testservers.broker.Outcomes.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.BatchEventListener;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.testing.InMemoryOutboxBackend;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/**
 * What the parts of the contract share: a broker that is whole before each test, and senders that are closed after it.
 */
abstract class BrokerContract {

    private final List<AutoCloseable> open = new ArrayList<>();

    /** Returns the broker, always the same. */
    protected abstract BrokerUnderTest broker();

    @AfterEach
    void mendAndClose() throws Exception {
        broker().server().resume();
        broker().proxy().accept();
        broker().proxy().resume();
        broker().proxy().delay(Duration.ZERO);
        broker().proxy().distance(Duration.ZERO);
        while (!open.isEmpty()) {
            open.remove(open.size() - 1).close();
        }
        await().atMost(Duration.ofSeconds(20))
                .untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                        .extracting(Thread::getName)
                        .noneMatch(name -> name.startsWith(broker().threadPrefix())));
    }

    /** Closes it after the test. */
    protected final <T extends AutoCloseable> T track(T resource) {
        open.add(resource);
        return resource;
    }

    protected final BatchEventListener sender(String target, Duration emergencyTimeout) {
        BatchEventListener sender = broker().sender(target, emergencyTimeout);
        track((AutoCloseable) sender);
        return sender;
    }

    /** Sends events and returns a word for each outcome. */
    protected static List<String> send(BatchEventListener sender, List<EventEnvelope> events) {
        try {
            return words(sender.onEvents(events));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    protected static long done(InMemoryOutboxBackend backend) {
        return backend.events().stream()
                .filter(event -> event.status() == EventStatus.DONE)
                .count();
    }

    protected static void assertNoAttempts(InMemoryOutboxBackend backend) {
        assertThat(backend.events())
                .allSatisfy(event -> assertThat(event.attempts()).isZero());
    }
}
