package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

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
    /** How many pieces of data may be on a long way. */
    private static final int LONGEST_LINE = 1_024;

    private final int port;
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    private int targetPort;
    private ServerSocket listener;
    private Thread acceptor;
    private Duration delay = Duration.ZERO;
    private Duration distance = Duration.ZERO;
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

    /**
     * Makes the way so long, in each direction: everything arrives so much later, and more is under way meanwhile.
     * {@link Duration#ZERO} ends it.
     */
    public synchronized void distance(Duration distance) {
        if (distance.isNegative()) {
            throw new IllegalArgumentException("distance must not be negative: " + distance);
        }
        this.distance = distance;
    }

    /**
     * Holds back each piece of data for this long, one after another, in both directions; {@link Duration#ZERO} ends
     * it.
     */
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

    private synchronized Duration currentDistance() {
        return distance;
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
            DelayLine line = null;
            try {
                InputStream in = from.getInputStream();
                OutputStream out = to.getOutputStream();
                line = new DelayLine(direction, out);
                for (int length = in.read(chunk); length >= 0; length = in.read(chunk)) {
                    Thread.sleep(currentDelay().toMillis());
                    if (line.isEmpty() && currentDistance().isZero()) {
                        awaitFlow(direction, this);
                        out.write(chunk, 0, length);
                    } else {
                        line.put(Arrays.copyOf(chunk, length), currentDistance());
                    }
                }
                line.awaitEmpty();
                awaitFlow(direction, this);
                to.shutdownOutput();
                end();
            } catch (IOException | InterruptedException broken) {
                reset();
            } finally {
                if (line != null) {
                    line.close();
                }
            }
        }

        /** Data on a long way: what is sent meanwhile is on the way too, as in a network. */
        private final class DelayLine {

            private record Piece(byte[] data, long dueNanos) {}

            private final Direction direction;
            private final OutputStream out;
            private final Deque<Piece> pieces = new ArrayDeque<>();
            private Thread carrier;
            private boolean writing;
            private boolean cut;

            DelayLine(Direction direction, OutputStream out) {
                this.direction = direction;
                this.out = out;
            }

            synchronized boolean isEmpty() {
                return pieces.isEmpty() && !writing;
            }

            synchronized void put(byte[] data, Duration way) throws IOException, InterruptedException {
                while (pieces.size() >= LONGEST_LINE && !cut) {
                    wait();
                }
                requireWhole();
                pieces.add(new Piece(data, System.nanoTime() + way.toNanos()));
                notifyAll();
                if (carrier == null) {
                    carrier = startThread("distance", this::carry);
                }
            }

            synchronized void awaitEmpty() throws IOException, InterruptedException {
                while (!isEmpty() && !cut) {
                    wait();
                }
                requireWhole();
            }

            private void requireWhole() throws IOException {
                if (cut) {
                    throw new IOException("the other side is gone");
                }
            }

            private synchronized void cut() {
                cut = true;
                notifyAll();
            }

            synchronized void close() {
                if (carrier != null) {
                    carrier.interrupt();
                }
            }

            private synchronized Piece next() throws InterruptedException {
                while (pieces.isEmpty()) {
                    wait();
                }
                writing = true;
                Piece next = pieces.remove();
                notifyAll();
                return next;
            }

            private synchronized void written() {
                writing = false;
                notifyAll();
            }

            private void carry() {
                try {
                    while (true) {
                        Piece piece = next();
                        TimeUnit.NANOSECONDS.sleep(piece.dueNanos - System.nanoTime());
                        awaitFlow(direction, Connection.this);
                        out.write(piece.data);
                        written();
                    }
                } catch (IOException broken) {
                    cut();
                    reset();
                } catch (InterruptedException end) {
                    cut();
                }
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
