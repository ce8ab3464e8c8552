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
import java.net.URI;
import java.nio.file.Path;
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
    void isWrittenLetterByLetter() throws IOException {
        try (ServerProcess process =
                new ServerProcess(Main.class, directory.resolve("letters").toString())) {
            URI uri = URI.create("http://localhost:" + process.port() + AdminFixture.DLQ + "?batchSize=" + LETTERS);
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
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
