package io.outbox.rabbitmq;

import com.rabbitmq.client.Address;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.outbox.RouteUnavailableException;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The way to the broker: one {@link RabbitConnection} at a time, opened when it is needed and again after it was lost.
 * Thread-safe.
 *
 * <p>The client's own recovery is turned off: it would bring a connection back at a time of its choosing, with channels
 * whose confirms are gone.
 */
final class RabbitConnections implements AutoCloseable {

    /** The network lost our packet if there is no connection by then; trying again is faster than waiting. */
    private static final int CONNECT_TIMEOUT_MS = 2_000;

    private final ConnectionFactory factory;
    private final List<Address> addresses;
    private final String name;
    private final AtomicReference<@Nullable Socket> lastSocket = new AtomicReference<>();
    private volatile @Nullable RabbitConnection current;
    private volatile int failures;
    private @Nullable RouteUnavailableException lastFailure;
    private boolean closed;

    RabbitConnections(ConnectionFactory template, List<Address> addresses, String name, Duration emergencyTimeout) {
        this.factory = template.clone();
        this.name = name;
        this.addresses = addresses;
        // A part of the emergency timeout for each step on the way, so that there is time left for the confirms.
        int stepMs = (int) Math.max(1, Math.min(Integer.MAX_VALUE, emergencyTimeout.toMillis() / 4));
        factory.setAutomaticRecoveryEnabled(false);
        factory.setTopologyRecoveryEnabled(false);
        factory.setConnectionTimeout(shorter(factory.getConnectionTimeout(), Math.min(stepMs, CONNECT_TIMEOUT_MS)));
        factory.setHandshakeTimeout(shorter(factory.getHandshakeTimeout(), stepMs));
        factory.setChannelRpcTimeout(shorter(factory.getChannelRpcTimeout(), stepMs));
        factory.setThreadFactory(new DaemonThreadFactory("outbox-rabbitmq-"));
        if (factory.getSocketFactory() == null && !factory.isSSL()) {
            factory.setSocketFactory(PackingSocket.factory());
        }
        factory.setSocketConfigurator(factory.getSocketConfigurator().andThen(lastSocket::set));
    }

    /** Zero stands for no limit. */
    private static int shorter(int timeoutMs, int limitMs) {
        return timeoutMs == 0 ? limitMs : Math.min(timeoutMs, limitMs);
    }

    /**
     * Returns the open connection, or opens one.
     *
     * @throws RouteUnavailableException if the broker cannot be reached, or does not let us in
     */
    RabbitConnection get() {
        int failuresSeen = failures;
        synchronized (this) {
            if (closed) {
                throw new RouteUnavailableException("the publisher is closed");
            }
            if (current != null && current.isOpen()) {
                return current;
            }
            if (failures != failuresSeen && lastFailure != null) {
                // Another worker has just tried, while this one waited for it.
                throw lastFailure;
            }
            try {
                current = open();
                return current;
            } catch (IOException | TimeoutException | RuntimeException e) {
                // Whatever goes wrong here, credentials that cannot be fetched included, no event has part in it.
                current = null;
                lastFailure = new RouteUnavailableException("RabbitMQ cannot be reached: " + e, e);
                failures = failuresSeen + 1;
                throw lastFailure;
            }
        }
    }

    /** Returns why the broker takes no messages at the moment, if that is known. Does not wait. */
    @Nullable
    String blockedReason() {
        RabbitConnection open = current;
        return open == null ? null : open.blockedReason();
    }

    private RabbitConnection open() throws IOException, TimeoutException {
        lastSocket.set(null);
        Connection connection =
                addresses.isEmpty() ? factory.newConnection(name) : factory.newConnection(addresses, name);
        return new RabbitConnection(connection, lastSocket.get());
    }

    @Override
    public void close() {
        RabbitConnection last;
        synchronized (this) {
            closed = true;
            last = current;
            current = null;
        }
        if (last != null) {
            last.close();
        }
    }
}
