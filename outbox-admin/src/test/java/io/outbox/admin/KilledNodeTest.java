package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testservers.PostgresServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a node leaves behind whose process is killed. */
@Timeout(180)
class KilledNodeTest {

    private static final String API = "/outbox-admin/api";
    private static final int LETTERS = 50;
    private static final Member.Pace PACE = new Member.Pace(
            Duration.ofMillis(50),
            Duration.ofMillis(100),
            Duration.ofMillis(100),
            Duration.ofSeconds(3),
            Duration.ofHours(1));

    /** The process that is killed. */
    static final class Main {

        public static void main(String[] args) throws IOException {
            JdbcOutbox jdbc = JdbcOutbox.of(pool(args[0])).withDeadLetters();
            Outbox outbox = Outbox.writerOnly().backend(jdbc.backend()).build();
            ServerProcess.serve(
                    OutboxAdmin.of(outbox).nodeName("killed").pace(PACE).build());
        }
    }

    private static HikariDataSource pool(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setMaximumPoolSize(5);
        return new HikariDataSource(config);
    }

    @Test
    void itsBulkActionContinuesOnAnotherNode() throws IOException, InterruptedException {
        String url = PostgresServer.shared().newDatabase();
        HikariDataSource pool = pool(url);
        JdbcOutbox jdbc = JdbcOutbox.of(pool).withDeadLetters().createSchema();
        try (pool;
                Outbox outbox = Outbox.singleNode()
                        .backend(jdbc.backend())
                        .listenerRegistry(new DefaultListenerRegistry().register("Order", "Placed", event -> {
                            throw new UnrecoverableException("boom");
                        }))
                        .startManually()
                        .build();
                OutboxAdmin admin =
                        OutboxAdmin.of(outbox).nodeName("survivor").pace(PACE).build()) {
            writeDead(jdbc, outbox);
            String id;
            try (ServerProcess process = new ServerProcess(Main.class, url)) {
                id = begin(process.port());
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> bulk(admin, id).get("done").getAsInt() > 0);
                assertThat(bulk(admin, id).get("node").getAsString()).isEqualTo("killed");
            }

            await().atMost(Duration.ofSeconds(90))
                    .until(() -> bulk(admin, id).get("state").getAsString().equals("DONE"));
            JsonObject ended = bulk(admin, id);
            assertThat(ended.get("node").getAsString()).isEqualTo("survivor");
            assertThat(ended.get("done").getAsInt() + ended.get("skipped").getAsInt())
                    .as("a batch that was not noted is done again and skipped")
                    .isGreaterThanOrEqualTo(LETTERS);
        }
    }

    private static void writeDead(JdbcOutbox jdbc, Outbox outbox) {
        for (int i = 0; i < LETTERS; i++) {
            try (Transaction tx = jdbc.begin()) {
                outbox.writer()
                        .write(EventEnvelope.builder("Placed")
                                .aggregateType("Order")
                                .payloadJson("{}")
                                .build());
                tx.commit();
            }
        }
        outbox.deliverDue();
    }

    private static String begin(int port) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:" + port + API + "/bulk"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString("{\"action\":\"resolve\",\"filter\":{},\"perSecond\":5}"))
                .build();
        String answer = HttpClient.newHttpClient()
                .send(request, BodyHandlers.ofString())
                .body();
        return JsonParser.parseString(answer).getAsJsonObject().get("id").getAsString();
    }

    private static JsonObject bulk(OutboxAdmin admin, String id) {
        AdminResponse answer = admin.handle(new AdminRequest(
                AdminRequest.Target.of("GET", API + "/bulk/" + id, null),
                Map.of("Host", "localhost"),
                new byte[0],
                InetAddress.getLoopbackAddress(),
                null));
        return JsonParser.parseString(new String(answer.bytes(), StandardCharsets.UTF_8))
                .getAsJsonObject();
    }
}
