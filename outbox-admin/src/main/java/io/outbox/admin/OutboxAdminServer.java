package io.outbox.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.outbox.util.DaemonThreadFactory;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * An {@link OutboxAdmin} on the JDK's own HTTP server, for applications without another. Thread-safe.
 *
 * <p>A connection that waits for its other end is closed after a while: while headers are sent after 10 seconds, while
 * a body is sent or an answer is read after 30, and after 2 seconds if all that is missing is a body that nobody asked
 * for. Meanwhile it costs one thread of up to 256, which end when they are not needed. Unless the system property
 * {@code sun.net.httpserver.nodelay} is set, it is set to {@code true}, for all servers of this kind in the JVM:
 * otherwise every answer takes 40 ms longer.
 */
public final class OutboxAdminServer implements AutoCloseable {

    private static final int MOST_THREADS = 256;
    private static final int BACKLOG = 256;
    private static final Duration FOR_HEADERS = Duration.ofSeconds(10);
    private static final Duration FOR_BODY = Duration.ofSeconds(30);
    private static final Duration FOR_ANSWER = Duration.ofSeconds(30);
    private static final Duration FOR_REFUSAL = Duration.ofSeconds(2);
    private static final String NODELAY = "sun.net.httpserver.nodelay";

    private final OutboxAdmin admin;
    private final HttpServer server;
    private final Duration forAnswer;
    private final ScheduledThreadPoolExecutor clock =
            Deadline.newClock(new DaemonThreadFactory("outbox-admin-deadlines-"));
    private final ThreadPoolExecutor threads = new ThreadPoolExecutor(
            0,
            MOST_THREADS,
            30,
            TimeUnit.SECONDS,
            new IdleThreadsFirst(),
            new DaemonThreadFactory("outbox-admin-"),
            (task, pool) -> pool.getQueue().add(task));
    private final ThreadLocal<Deadline> deadline = new ThreadLocal<>();

    /**
     * Takes a task only if a thread waits for it; with all threads busy and their number reached, {@code add} takes it.
     */
    private static final class IdleThreadsFirst extends LinkedTransferQueue<Runnable> {

        private static final long serialVersionUID = 1L;

        @Override
        public boolean offer(Runnable task) {
            return tryTransfer(task);
        }
    }

    private OutboxAdminServer(OutboxAdmin admin, InetSocketAddress address, Duration forAnswer) {
        if (System.getProperty(NODELAY) == null) {
            System.setProperty(NODELAY, "true");
        }
        this.admin = admin;
        this.forAnswer = forAnswer;
        try {
            this.server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException("The administration of the outbox cannot listen at " + address, e);
        }
        server.createContext("/", this::answer);
        server.setExecutor(task -> threads.execute(() -> run(task)));
        server.start();
    }

    /** Starts a server at the address; port 0 is any that is free. */
    public static OutboxAdminServer start(OutboxAdmin admin, InetSocketAddress address) {
        return start(admin, address, FOR_ANSWER);
    }

    static OutboxAdminServer start(OutboxAdmin admin, InetSocketAddress address, Duration forAnswer) {
        return new OutboxAdminServer(
                Objects.requireNonNull(admin, "admin"), Objects.requireNonNull(address, "address"), forAnswer);
    }

    /** Returns where the server listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    /** Runs a task of the server's: reads the headers, and calls what answers them. */
    private void run(Runnable task) {
        Deadline mine = new Deadline(clock);
        deadline.set(mine);
        try {
            mine.set(FOR_HEADERS);
            task.run();
        } finally {
            mine.clear();
            deadline.remove();
        }
    }

    private void answer(HttpExchange exchange) throws IOException {
        Deadline mine = deadline.get();
        mine.clear();
        boolean isStreaming = false;
        try {
            AdminResponse response = admin.handle(request(exchange, mine));
            response.headers().forEach(exchange.getResponseHeaders()::set);
            if (response.contentType() != null) {
                exchange.getResponseHeaders().set("Content-Type", response.contentType());
            }
            if (response.stream() != null && !isHead(exchange)) {
                mine.set(FOR_REFUSAL);
                exchange.sendResponseHeaders(response.status(), 0);
                mine.clear();
                isStreaming = true;
                response.stream().start(new TimelyOutput(exchange.getResponseBody()), () -> end(exchange));
            } else {
                write(response, exchange);
            }
        } finally {
            if (!isStreaming) {
                end(exchange);
            }
        }
    }

    /** Closes an exchange, which may write the rest of its answer. */
    private void end(HttpExchange exchange) {
        Deadline forEnd = new Deadline(clock);
        forEnd.set(FOR_REFUSAL);
        try {
            exchange.close();
        } finally {
            forEnd.clear();
        }
    }

    private void write(AdminResponse response, HttpExchange exchange) throws IOException {
        long length = response.body().length();
        boolean hasBody = length != 0 && !isHead(exchange);
        deadline.get().set(FOR_REFUSAL);
        exchange.sendResponseHeaders(response.status(), hasBody ? Math.max(0, length) : -1);
        deadline.get().clear();
        if (hasBody) {
            OutputStream out = new TimelyOutput(exchange.getResponseBody());
            response.body().writeTo(out);
            out.flush();
            deadline.get().set(FOR_REFUSAL);
            passOver(exchange.getRequestBody());
        }
    }

    /** Limits the time of each write and flush on any thread: the JDK decides which of them waits for the client. */
    private final class TimelyOutput extends FilterOutputStream {

        TimelyOutput(OutputStream out) {
            super(out);
        }

        @Override
        public void write(int one) throws IOException {
            inTime(() -> out.write(one));
        }

        @Override
        public void write(byte[] bytes, int start, int count) throws IOException {
            inTime(() -> out.write(bytes, start, count));
        }

        @Override
        public void flush() throws IOException {
            inTime(out::flush);
        }

        private void inTime(Step step) throws IOException {
            Deadline forStep = new Deadline(clock);
            forStep.set(forAnswer);
            try {
                step.run();
            } finally {
                forStep.clear();
            }
        }
    }

    /** Something that may wait for the other end. */
    private interface Step {
        void run() throws IOException;
    }

    /** Reads what nobody asked for: a connection that is closed before that takes the answer with it. */
    private static void passOver(InputStream body) throws IOException {
        byte[] part = new byte[8192];
        for (int count = 0; count >= 0; count = body.read(part)) {}
    }

    private static boolean isHead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("HEAD");
    }

    private static AdminRequest request(HttpExchange exchange, Deadline deadline) {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        return new AdminRequest(
                AdminRequest.Target.of(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI().getRawPath(),
                        exchange.getRequestURI().getRawQuery()),
                headers,
                most -> body(exchange, deadline, most),
                exchange.getRemoteAddress().getAddress(),
                null);
    }

    private static byte[] body(HttpExchange exchange, Deadline deadline, int most) throws IOException {
        deadline.set(FOR_BODY);
        try {
            return exchange.getRequestBody().readNBytes(most);
        } finally {
            deadline.clear();
        }
    }

    /** Stops the server, without waiting for requests in progress. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        clock.shutdownNow();
    }
}
