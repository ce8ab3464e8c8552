package io.outbox.rabbitmq;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ShutdownSignalException;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A connection to the broker with its idle channels and the exchanges that are known to exist. Thread-safe. */
final class RabbitConnection {

    private static final int ABORT_TIMEOUT_MS = 1_000;
    /**
     * How long an exchange counts as missing before the broker is asked again; every event of a batch may name another
     * one.
     */
    private static final Duration REMEMBERED = Duration.ofSeconds(5);

    private static final int MOST_FAULTS = 1_000;

    /** Why an exchange cannot be used, and since when that is known. */
    private record Fault(CloseReason reason, long knownAt) {

        boolean isOutdated() {
            return System.nanoTime() - knownAt > REMEMBERED.toNanos();
        }
    }

    private final Connection connection;
    /** There is none if the client was told to use another transport. */
    private final @Nullable Socket socket;

    private final Deque<ConfirmChannel> idle = new ConcurrentLinkedDeque<>();
    private final Set<String> knownExchanges = ConcurrentHashMap.newKeySet();
    private final Map<String, Fault> faults = new ConcurrentHashMap<>();
    private volatile @Nullable String blockedReason;

    RabbitConnection(Connection connection, @Nullable Socket socket) {
        this.connection = connection;
        this.socket = socket;
        connection.addBlockedListener(reason -> blockedReason = reason, () -> blockedReason = null);
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    /** Returns why the broker takes no messages at the moment, if it takes none: it is short of memory or disk. */
    @Nullable
    String blockedReason() {
        return blockedReason;
    }

    /** Returns an idle channel, or a new one; the caller gives it back. */
    ConfirmChannel borrow() throws IOException {
        for (ConfirmChannel channel = idle.pollFirst(); channel != null; channel = idle.pollFirst()) {
            if (channel.isReusable()) {
                return channel;
            }
        }
        return new ConfirmChannel(openChannel());
    }

    private Channel openChannel() throws IOException {
        Channel channel = connection.createChannel();
        if (channel == null) {
            throw new IOException("the connection has no free channel (" + connection.getChannelMax() + " at most)");
        }
        return channel;
    }

    /** Takes a channel back; one that is in the middle of something is closed without keeping the caller waiting. */
    void giveBack(ConfirmChannel channel) {
        if (channel.isReusable()) {
            idle.addFirst(channel);
        } else if (channel.isOpen()) {
            startThread("outbox-rabbitmq-close", channel::abort);
        }
    }

    /** Lets the messages that are sent from now on share writes, until {@link #send}. */
    void gather() throws IOException {
        if (socket instanceof PackingSocket packing) {
            packing.getOutputStream().gather();
        }
    }

    /** Ends what {@link #gather} began; may block for as long as the broker does not read. */
    void send() {
        if (socket instanceof PackingSocket packing) {
            try {
                packing.getOutputStream().send();
            } catch (IOException e) {
                sever();
            }
        }
    }

    /** Returns whether an exchange is known to exist. The default exchange always does, and must not be asked for. */
    boolean isKnown(String exchange) {
        return exchange.isEmpty() || knownExchanges.contains(exchange);
    }

    /**
     * Makes sure, once per connection, that an exchange exists; for one that does not, the broker is asked again after
     * some seconds. Publishing to such a one closes the channel, with the confirms that other messages wait for.
     *
     * @return why it cannot be used, if it cannot
     */
    @Nullable
    CloseReason findFault(String exchange) throws IOException {
        if (isKnown(exchange)) {
            return null;
        }
        Fault known = faults.get(exchange);
        if (known != null && !known.isOutdated()) {
            return known.reason;
        }
        try {
            Channel channel = openChannel();
            try {
                channel.exchangeDeclarePassive(exchange);
                knownExchanges.add(exchange);
            } catch (IllegalArgumentException e) {
                // Not a name the protocol can express; sending says the same for each message.
            }
            channel.close();
            return null;
        } catch (IOException | ShutdownSignalException e) {
            CloseReason closure = CloseReason.of(e);
            if (closure.isConnectionLost()) {
                throw e;
            }
            remember(exchange, closure);
            return closure;
        } catch (TimeoutException e) {
            throw new IOException("no answer to closing a channel", e);
        }
    }

    /** Names may be computed, so that there is no end of those that do not exist. */
    private void remember(String exchange, CloseReason fault) {
        if (faults.size() >= MOST_FAULTS) {
            faults.values().removeIf(Fault::isOutdated);
        }
        if (faults.size() < MOST_FAULTS) {
            faults.put(exchange, new Fault(fault, System.nanoTime()));
        }
    }

    void forgetExchanges() {
        knownExchanges.clear();
    }

    /** Cuts the connection without a word, which also ends a write that is stuck. */
    void sever() {
        closeSocket();
        if (connection.isOpen()) {
            startThread("outbox-rabbitmq-sever", () -> connection.abort(ABORT_TIMEOUT_MS));
        }
    }

    /** Takes leave of the broker, if it answers soon. */
    void close() {
        Thread farewell = startThread("outbox-rabbitmq-farewell", () -> connection.abort(ABORT_TIMEOUT_MS));
        try {
            farewell.join(2 * ABORT_TIMEOUT_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        closeSocket();
    }

    private void closeSocket() {
        if (socket != null) {
            try {
                // No lingering: neither for data nor for the farewell of TLS.
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException e) {
                // closed already
            }
        }
    }

    private static Thread startThread(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
