package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests that never end, sent to a server in a process with a small heap: whoever asks properly is served beside
 * them, and what they hold is given back.
 */
class UnfinishedRequestsTest {

    private static final String TOKEN = "operate-token-0123456789";
    private static final String BULK = "/outbox-admin/api/bulk";
    private static final int BODY = 2 * 1024 * 1024;
    private static final int TYPES = 2000;
    private static final Duration FOR_ANSWER = Duration.ofSeconds(3);

    private final List<Socket> sockets = new ArrayList<>();
    private ServerProcess process;

    /** The process: an outbox and its administration. */
    static final class Main {

        public static void main(String[] args) throws IOException {
            JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:mem:unfinished;DB_CLOSE_DELAY=-1", "", "");
            JdbcOutbox jdbc = JdbcOutbox.of(pool).createSchema();
            Outbox outbox = Outbox.singleNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(new DefaultListenerRegistry())
                    .startManually()
                    .build();
            writeWhatMakesUpdatesLarge(jdbc, outbox);
            ServerProcess.serve(OutboxAdmin.of(outbox).operateToken(TOKEN).build(), FOR_ANSWER);
        }

        private static void writeWhatMakesUpdatesLarge(JdbcOutbox jdbc, Outbox outbox) {
            try (Transaction tx = jdbc.begin()) {
                outbox.writer()
                        .writeAll(IntStream.range(0, TYPES)
                                .mapToObj(i -> EventEnvelope.builder("T".repeat(100) + i)
                                        .aggregateType("Order")
                                        .payloadJson("{}")
                                        .build())
                                .toList());
                tx.commit();
            }
        }
    }

    @BeforeEach
    void start() throws IOException {
        process = new ServerProcess(Main.class);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket socket : sockets) {
            socket.close();
        }
        process.close();
    }

    private Socket send(String head, int bodyBytes) throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), process.port());
        sockets.add(socket);
        socket.setSoTimeout((int) Duration.ofSeconds(20).toMillis());
        OutputStream out = socket.getOutputStream();
        out.write(head.getBytes(StandardCharsets.US_ASCII));
        byte[] part = new byte[64 * 1024];
        try {
            for (int sent = 0; sent < bodyBytes; sent += part.length) {
                out.write(part, 0, Math.min(part.length, bodyBytes - sent));
            }
        } catch (IOException e) {
            // the server does not want to hear the rest
        }
        return socket;
    }

    private static String post(String token, int length) {
        return "POST " + BULK + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                + (token == null ? "" : "Authorization: Bearer " + token + "\r\n")
                + "Content-Length: " + length + "\r\n\r\n";
    }

    /** Returns how a request is answered that is whole, and takes its time. */
    private String answered(String method, String path) throws IOException {
        long begin = System.nanoTime();
        try (Socket socket = send(
                method + " " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                        + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
                0)) {
            String status = statusLine(socket);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
            return status;
        }
    }

    private static String statusLine(Socket socket) throws IOException {
        InputStream in = socket.getInputStream();
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    private void assertOperatorsAreServed() throws IOException {
        assertThat(answered("GET", "/outbox-admin/api/overview")).isEqualTo("HTTP/1.1 200 OK");
        assertThat(answered("POST", "/outbox-admin/api/delivery/pause")).isEqualTo("HTTP/1.1 204 No Content");
    }

    @Test
    void bodiesOfStrangersAreNotWaitedFor() throws IOException {
        for (int i = 0; i < 50; i++) {
            send("POST " + BULK + " HT", 0);
            send(post(null, 1000), 1);
            send(post("wrong-token-0123456789", BODY), BODY - 10);
            send(post(null, BODY), 1);
            send(post(null, BODY), 100_000);
        }
        assertOperatorsAreServed();
        assertThat(statusLine(send(post(null, 1000), 1))).startsWith("HTTP/1.1 401");
        assertThat(process.isAlive()).isTrue();
    }

    @Test
    void bodiesOfOperatorsAreFew() throws IOException {
        for (int i = 0; i < 200; i++) {
            send(post(TOKEN, 50_000), 49_000);
        }
        for (int i = 0; i < 50; i++) {
            send("", 0);
        }
        assertOperatorsAreServed();
    }

    @Test
    void aConnectionThatSaysNothingMoreIsClosed() throws IOException {
        Socket half = send("GET /outbox-admin/api/over", 0);
        Socket refused = send(post(null, 1000), 1);
        assertThat(statusLine(refused)).startsWith("HTTP/1.1 401");
        refused.getInputStream().readAllBytes();
        assertThat(half.getInputStream().read()).isEqualTo(-1);
    }

    @Test
    void aRefusalReachesWhoSendsABodyWhole() throws IOException {
        for (int i = 0; i < 20; i++) {
            assertThat(statusLine(send(post(null, 60_000), 60_000))).startsWith("HTTP/1.1 401");
        }
    }

    /** Opens a connection that takes little of what is sent, and reads nothing. */
    private void ask(String requests) throws IOException {
        Socket socket = new Socket();
        sockets.add(socket);
        socket.setReceiveBufferSize(1024);
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()));
        socket.getOutputStream().write(requests.getBytes(StandardCharsets.US_ASCII));
    }

    /** Each answer is so small that newer JDKs buffer all of it, and only a flush waits for the other end. */
    @Test
    void aConnectionWhoseAnswersNobodyReadsIsClosed() throws IOException {
        String file = "GET /outbox-admin/css/layout.css HTTP/1.1\r\nHost: localhost\r\n\r\n";
        for (int i = 0; i < 20; i++) {
            ask(file.repeat(1000));
        }
        for (Socket socket : sockets) {
            await().atMost(Duration.ofSeconds(90))
                    .untilAsserted(() -> assertThatThrownBy(
                                    () -> socket.getOutputStream().write('G'))
                            .isInstanceOf(IOException.class));
        }
        assertOperatorsAreServed();
    }

    @Test
    void viewersWhoReadNothingMakeRoomForOthers() throws IOException {
        for (int i = 0; i < 3 * LiveFeed.MOST_STREAMS; i++) {
            ask("GET /outbox-admin/api/live HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + TOKEN
                    + "\r\n\r\n");
        }
        await().untilAsserted(() ->
                assertThat(answered("GET", "/outbox-admin/api/live")).isEqualTo("HTTP/1.1 503 Service Unavailable"));
        await().atMost(Duration.ofSeconds(90))
                .ignoreExceptions()
                .untilAsserted(() ->
                        assertThat(answered("GET", "/outbox-admin/api/live")).isEqualTo("HTTP/1.1 200 OK"));
    }
}
