package io.outbox.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.stream.Stream;

/** Somebody who has the overview of the dashboard open: makes the calls that it makes, when it makes them. */
final class Viewer {

    /** After so many updates the dashboard asks for the nodes again. */
    private static final int UPDATES_PER_LOOK_AT_NODES = 5;

    private final HttpClient http = HttpClient.newHttpClient();
    private final String api;
    private final Stream<String> live;
    private final Thread reader = new Thread(this::follow, "viewer");
    private volatile int updates;

    Viewer(InetSocketAddress server) {
        this.api = "http://localhost:" + server.getPort() + "/outbox-admin/api/";
        ask("session");
        ask("series?minutes=60");
        ask("nodes");
        this.live = send("live", BodyHandlers.ofLines());
        reader.start();
    }

    private void follow() {
        try {
            live.filter(line -> line.startsWith("data: ")).forEach(update -> {
                updates++;
                if (updates % UPDATES_PER_LOOK_AT_NODES == 0) {
                    ask("nodes");
                }
            });
        } catch (UncheckedIOException e) {
            // the server was closed
        }
    }

    private void ask(String call) {
        send(call, BodyHandlers.ofString());
    }

    private <T> T send(String call, HttpResponse.BodyHandler<T> handler) {
        try {
            HttpResponse<T> response =
                    http.send(HttpRequest.newBuilder(URI.create(api + call)).build(), handler);
            if (response.statusCode() != 200) {
                throw new IllegalStateException(call + " was answered with " + response.statusCode());
            }
            return response.body();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    int updates() {
        return updates;
    }

    /** Waits for the end of the stream, which is the server's to end. */
    void awaitEnd() {
        try {
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
