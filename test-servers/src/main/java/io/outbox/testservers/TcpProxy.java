package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A TCP proxy on the loopback interface that makes the faults of a network: delay, silence, reset, refusal.
 *
 * <p>A connection to {@link #port()} is forwarded to the target port. When the target cannot be reached, the client's
 * connection is reset. The faults apply to open connections as well as to new ones, unless said otherwise. All methods
 * are thread-safe; the threads are daemons.
 */
public final class TcpProxy implements AutoCloseable {

    private enum Direction {
        REQUESTS,
        ANSWERS
    }

    private static final int CHUNK = 64 * 1024;

    private final int port;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    private int targetPort;
    private ServerSocket listener;
    private Thread acceptor;
    private Duration delay = Duration.ZERO;
    private final Set<Direction> stalled = EnumSet.noneOf(Direction.class);
    private boolean closed;

    private TcpProxy(int targetPort) {
        this.targetPort = targetPort;
        this.port = Ports.free();
    }

    /** Starts a proxy to a port of the loopback interface. */
    public static TcpProxy start(int targetPort) {
        TcpProxy proxy = new TcpProxy(targetPort);
        proxy.accept();
        return proxy;
    }

    /** The port to connect to; it never changes. */
    public int port() {
        return port;
    }

    /** Leads new connections to another port, as an address does that moves; open ones stay where they are. */
    public synchronized void moveTo(int newTargetPort) {
        this.targetPort = newTargetPort;
    }

    /** How many connections are open. */
    public int connections() {
        return connections.size();
    }

    /** Holds back each piece of data for this long, in both directions; {@link Duration#ZERO} ends it. */
    public synchronized void delay(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay must not be negative: " + delay);
        }
        this.delay = delay;
    }

    /** Lets no data through until {@link #resume()}: connections stay open and can be opened, but are silent. */
    public synchronized void stall() {
        stalled.addAll(EnumSet.allOf(Direction.class));
    }

    /** Lets no data of the target through until {@link #resume()}: it gets its requests, the answers come late. */
    public synchronized void stallAnswers() {
        stalled.add(Direction.ANSWERS);
    }

    /** Ends {@link #stall()} and {@link #stallAnswers()}; data held back are delivered. */
    public synchronized void resume() {
        stalled.clear();
        notifyAll();
    }

    /** Cuts all open connections with a TCP reset on both sides; data on the way are lost. */
    public synchronized void resetAll() {
        connections.forEach(Connection::reset);
        notifyAll();
    }

    /** Refuses new connections until {@link #accept()}; open ones stay. */
    public synchronized void refuse() {
        if (listener == null) {
            return;
        }
        closeQuietly(listener);
        listener = null;
        try {
            // The kernel goes on accepting until the blocked call of this thread has returned.
            acceptor.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Accepts connections again after {@link #refuse()}; does nothing otherwise. */
    public synchronized void accept() {
        if (closed) {
            throw new IllegalStateException("the proxy is closed");
        }
        if (listener != null) {
            return;
        }
        try {
            ServerSocket opened = new ServerSocket();
            opened.bind(Ports.loopback(port));
            listener = opened;
            acceptor = startThread("accept", () -> acceptFrom(opened));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on port " + port, e);
        }
    }

    /** Refuses new connections and resets open ones, for good. */
    @Override
    public synchronized void close() {
        closed = true;
        refuse();
        resetAll();
    }

    private void acceptFrom(ServerSocket source) {
        while (true) {
            Socket client;
            try {
                client = source.accept();
            } catch (IOException refusing) {
                return;
            }
            if (source.isClosed()) {
                abort(client);
                return;
            }
            // Known before anybody can be sure that it is refused: no reset misses it.
            Connection connection = new Connection(client, new Socket());
            connections.add(connection);
            // A thread per connection: connecting to a slow target must not hold up others.
            startThread("connect", () -> forward(connection));
        }
    }

    private void forward(Connection connection) {
        try {
            connection.target.connect(Ports.loopback(currentTarget()));
            connection.client.setTcpNoDelay(true);
            connection.target.setTcpNoDelay(true);
        } catch (IOException unreachable) {
            connection.reset();
        }
        if (isClosed()) {
            connection.reset();
        }
        startThread("answers", () -> connection.pump(Direction.ANSWERS, connection.target, connection.client));
        connection.pump(Direction.REQUESTS, connection.client, connection.target);
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized int currentTarget() {
        return targetPort;
    }

    private synchronized Duration currentDelay() {
        return delay;
    }

    private synchronized void awaitFlow(Direction direction, Connection connection) throws InterruptedException {
        while (stalled.contains(direction) && !connection.isReset()) {
            wait();
        }
    }

    private Thread startThread(String task, Runnable work) {
        Thread thread = new Thread(work, "tcp-proxy-" + port + "-" + task);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** Closing with linger time zero sends RST instead of FIN. */
    private static void abort(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            // nothing to abort
        }
        closeQuietly(socket);
    }

    private static void closeQuietly(AutoCloseable resource) {
        if (resource != null) {
            try {
                resource.close();
            } catch (Exception e) {
                // it is gone either way
            }
        }
    }

    /** A client's connection and the one to the target. */
    private final class Connection {

        private final Socket client;
        private final Socket target;
        private int endedDirections;

        Connection(Socket client, Socket target) {
            this.client = Objects.requireNonNull(client);
            this.target = Objects.requireNonNull(target);
        }

        /** Moves data until the source ends, then passes the end on. */
        void pump(Direction direction, Socket from, Socket to) {
            byte[] chunk = new byte[CHUNK];
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                    Thread.sleep(currentDelay().toMillis());
                    awaitFlow(direction, this);
                    out.write(chunk, 0, length);
                }
                awaitFlow(direction, this);
                to.shutdownOutput();
                end();
            } catch (IOException | InterruptedException broken) {
                reset();
            }
        }

        boolean isReset() {
            return client.isClosed();
        }

        void reset() {
            connections.remove(this);
            abort(client);
            abort(target);
        }

        private synchronized void end() {
            endedDirections++;
            if (endedDirections == 2) {
                connections.remove(this);
                closeQuietly(client);
                closeQuietly(target);
            }
        }
    }
}
