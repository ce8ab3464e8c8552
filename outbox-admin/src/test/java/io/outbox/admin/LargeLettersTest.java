package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A batch of letters that together are far larger than what the heap has room for. */
class LargeLettersTest {

    private static final int LETTERS = 100;
    private static final int PAYLOAD = 1_000_000;

    @TempDir
    Path directory;

    /** The process. */
    static final class Main {

        public static void main(String[] args) throws IOException {
            JdbcConnectionPool pool = JdbcConnectionPool.create("jdbc:h2:" + args[0] + ";CACHE_SIZE=4096", "", "");
            JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
            Outbox outbox = Outbox.singleNode()
                    .backend(jdbc.backend())
                    .listenerRegistry(new DefaultListenerRegistry().register("Order", "Large", event -> {
                        throw new UnrecoverableException("too large");
                    }))
                    .startManually()
                    .build();
            String payload = "x".repeat(PAYLOAD);
            for (int i = 0; i < LETTERS; i++) {
                try (Transaction tx = jdbc.begin()) {
                    outbox.writer()
                            .write(EventEnvelope.builder("Large")
                                    .aggregateType("Order")
                                    .payloadJson(payload)
                                    .build());
                    tx.commit();
                }
                outbox.deliverDue();
            }
            ServerProcess.serve(OutboxAdmin.of(outbox).build());
        }
    }

    @Test
    void manyWhoReadSlowlyLeaveMemoryAndStoreToOthers() throws IOException {
        List<Socket> readers = new ArrayList<>();
        try (ServerProcess process = start()) {
            String request =
                    "GET " + AdminFixture.DLQ + "?batchSize=" + LETTERS + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
            for (int i = 0; i < 60; i++) {
                Socket reader = new Socket();
                readers.add(reader);
                reader.setReceiveBufferSize(1024);
                reader.setSoTimeout((int) Duration.ofSeconds(60).toMillis());
                reader.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), process.port()));
                reader.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            }

            Map<String, Integer> statuses = new HashMap<>();
            for (Socket reader : readers) {
                byte[] start = reader.getInputStream().readNBytes("HTTP/1.1 200".length());
                statuses.merge(new String(start, StandardCharsets.US_ASCII), 1, Integer::sum);
            }

            assertThat(statuses)
                    .isEqualTo(Map.of("HTTP/1.1 200", LargeAnswers.MOST, "HTTP/1.1 503", 60 - LargeAnswers.MOST));
            assertThat(open(process, AdminFixture.BASE + "/overview").getResponseCode())
                    .isEqualTo(200);
            assertThat(process.isAlive()).isTrue();
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    private ServerProcess start() throws IOException {
        return new ServerProcess(Main.class, directory.resolve("letters").toString());
    }

    private static HttpURLConnection open(ServerProcess process, String path) throws IOException {
        return (HttpURLConnection)
                URI.create("http://localhost:" + process.port() + path).toURL().openConnection();
    }

    @Test
    void isWrittenLetterByLetter() throws IOException {
        try (ServerProcess process = start()) {
            HttpURLConnection connection = open(process, AdminFixture.DLQ + "?batchSize=" + LETTERS);
            assertThat(connection.getResponseCode()).isEqualTo(200);
            long read = 0;
            byte[] part = new byte[64 * 1024];
            int last = 0;
            try (InputStream in = connection.getInputStream()) {
                for (int count = in.read(part); count >= 0; count = in.read(part)) {
                    read += count;
                    last = count == 0 ? last : part[count - 1];
                }
            }
            assertThat(read).isGreaterThan((long) LETTERS * PAYLOAD);
            assertThat((char) last).isEqualTo(']');
            assertThat(process.isAlive()).isTrue();
        }
    }
}
