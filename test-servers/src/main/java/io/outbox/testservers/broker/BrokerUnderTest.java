package io.outbox.testservers.broker;

import io.outbox.BatchEventListener;
import io.outbox.testservers.TcpProxy;
import io.outbox.testservers.TestServer;
import java.time.Duration;
import java.util.List;

/**
 * A broker as the contract of senders drives it. Senders go by the proxy.
 */
public interface BrokerUnderTest extends AutoCloseable {

    TestServer server();

    TcpProxy proxy();

    /** Makes a place that events can be sent to, and returns its name. */
    String newTarget();

    /** Returns a sender to the target that can be closed, which the caller does. */
    BatchEventListener sender(String target, Duration emergencyTimeout);

    /** Returns the ids of the events that are at the target now, in their order. */
    List<String> eventIds(String target);

    /** Ends the broker by force, in such a way that it has what it confirmed when it is started again. */
    default void kill() {
        server().kill();
    }

    /** Returns how the names of the threads of senders begin. */
    String threadPrefix();

    @Override
    default void close() {
        proxy().close();
        server().close();
    }
}
