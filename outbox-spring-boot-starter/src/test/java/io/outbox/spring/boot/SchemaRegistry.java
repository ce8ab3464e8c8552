package io.outbox.spring.boot;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * As much of the HTTP API of an Apicurio registry as its serializers need: schemas are stored once and found by their
 * id.
 */
final class SchemaRegistry implements AutoCloseable {

    private static final String ARTIFACT = "{\"id\":\"%1$s\",\"version\":\"1\",\"type\":\"AVRO\",\"state\":\"ENABLED\","
            + "\"globalId\":%2$d,\"contentId\":%2$d}";

    /** What comes of a request. */
    enum Mood {
        ANSWERING,
        REFUSING,
        SILENT
    }

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch closing = new CountDownLatch(1);
    private final List<String> schemas = new ArrayList<>();
    private final HttpServer server;
    private volatile Mood mood = Mood.ANSWERING;

    SchemaRegistry() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/apis/registry/v2/groups", exchange -> answer(exchange, this::register));
        server.createContext("/apis/registry/v2/ids/globalIds", exchange -> answer(exchange, this::find));
        server.setExecutor(threads);
        server.start();
    }

    private interface Answer {
        String to(HttpExchange exchange) throws IOException;
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort() + "/apis/registry/v2";
    }

    void become(Mood other) {
        mood = other;
    }

    synchronized List<String> schemas() {
        return List.copyOf(schemas);
    }

    private void answer(HttpExchange exchange, Answer answer) throws IOException {
        try (exchange) {
            if (mood == Mood.SILENT) {
                closing.await();
            }
            String text =
                    mood == Mood.REFUSING ? "{\"error_code\":500,\"message\":\"out of order\"}" : answer.to(exchange);
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(mood == Mood.REFUSING ? 500 : 200, bytes.length);
            exchange.getResponseBody().write(bytes);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized String register(HttpExchange exchange) throws IOException {
        String schema = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        if (!schemas.contains(schema)) {
            schemas.add(schema);
        }
        return ARTIFACT.formatted(
                exchange.getRequestHeaders().getFirst("X-Registry-ArtifactId"), schemas.indexOf(schema) + 1);
    }

    private synchronized String find(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        if (path.endsWith("/references")) {
            return "[]";
        }
        return schemas.get(Integer.parseInt(path.substring(path.lastIndexOf('/') + 1)) - 1);
    }

    @Override
    public void close() {
        closing.countDown();
        server.stop(0);
        threads.shutdownNow();
    }
}
