package io.outbox.admin;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** An {@link OutboxAdmin} on the JDK's own HTTP server, for applications without another. Thread-safe. */
public final class OutboxAdminServer implements AutoCloseable {

    private static final int THREADS = 4;
    private static final int BACKLOG = 50;

    private final HttpServer server;
    private final ExecutorService threads =
            Executors.newFixedThreadPool(THREADS, new DaemonThreadFactory("outbox-admin-"));

    private OutboxAdminServer(OutboxAdmin admin, InetSocketAddress address) {
        try {
            this.server = HttpServer.create(address, BACKLOG);
        } catch (IOException e) {
            throw new UncheckedIOException("The administration of the outbox cannot listen at " + address, e);
        }
        server.createContext("/", exchange -> answer(admin, exchange));
        server.setExecutor(threads);
        server.start();
    }

    /** Starts a server at the address; port 0 is any that is free. */
    public static OutboxAdminServer start(OutboxAdmin admin, InetSocketAddress address) {
        return new OutboxAdminServer(
                Objects.requireNonNull(admin, "admin"), Objects.requireNonNull(address, "address"));
    }

    /** Returns where the server listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private static void answer(OutboxAdmin admin, HttpExchange exchange) throws IOException {
        boolean isStreaming = false;
        try {
            AdminResponse response = admin.handle(request(exchange));
            response.headers().forEach(exchange.getResponseHeaders()::set);
            if (response.contentType() != null) {
                exchange.getResponseHeaders().set("Content-Type", response.contentType());
            }
            isStreaming = response.stream() != null && !isHead(exchange);
            if (isStreaming) {
                exchange.sendResponseHeaders(response.status(), 0);
                response.stream().start(exchange.getResponseBody(), exchange::close);
            } else {
                write(response, exchange);
            }
        } finally {
            if (!isStreaming) {
                exchange.close();
            }
        }
    }

    private static void write(AdminResponse response, HttpExchange exchange) throws IOException {
        byte[] body = response.body();
        boolean hasBody = body.length > 0 && !isHead(exchange);
        exchange.sendResponseHeaders(response.status(), hasBody ? body.length : -1);
        if (hasBody) {
            exchange.getResponseBody().write(body);
        }
    }

    private static boolean isHead(HttpExchange exchange) {
        return exchange.getRequestMethod().equals("HEAD");
    }

    private static AdminRequest request(HttpExchange exchange) throws IOException {
        Map<String, String> headers = new HashMap<>();
        exchange.getRequestHeaders().forEach((name, values) -> headers.put(name, values.get(0)));
        return new AdminRequest(
                AdminRequest.Target.of(
                        exchange.getRequestMethod(),
                        exchange.getRequestURI().getRawPath(),
                        exchange.getRequestURI().getRawQuery()),
                headers,
                exchange.getRequestBody().readNBytes(AdminRequest.MAX_BODY_BYTES + 1),
                exchange.getRemoteAddress().getAddress(),
                null);
    }

    /** Stops the server; what is being answered is not waited for. */
    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
