package io.outbox.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import com.rabbitmq.client.MessageProperties;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class RabbitServerTest {

    private final RabbitServer server = RabbitServer.start();

    @AfterAll
    void closeAndExpectNeitherDataNorProcesses() {
        Path directory = server.directory();
        List<ProcessHandle> processes =
                ProcessHandle.of(server.pid()).orElseThrow().descendants().toList();
        assertThat(processes)
                .as("epmd belongs to the node")
                .anyMatch(process -> process.info().command().orElse("").endsWith("epmd"));

        server.close();

        assertThat(Files.exists(directory)).as("data left behind").isFalse();
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(processes).noneMatch(ProcessHandle::isAlive));
    }

    @Test
    void confirmedMessagesSurviveAKill() throws Exception {
        String queue = "queue-" + UUID.randomUUID();
        Connection cut = connect();
        Channel channel = cut.createChannel();
        channel.queueDeclare(queue, true, false, false, null);
        server.saveDefinitions();
        channel.confirmSelect();
        channel.basicPublish("", queue, MessageProperties.PERSISTENT_BASIC, new byte[] {42});
        channel.waitForConfirmsOrDie(10_000);

        server.kill();
        await().atMost(Duration.ofSeconds(5)).until(() -> !cut.isOpen());
        server.restart();

        try (Connection connection = connect()) {
            GetResponse message = connection.createChannel().basicGet(queue, true);
            assertThat(message.getBody()).containsExactly(42);
        }
    }

    @Test
    void aPausedNodeIsSilentAndAnswersAfterwards() throws Exception {
        try (Connection connection = connect()) {
            Channel channel = connection.createChannel();

            server.pause();
            CompletableFuture<String> answer = CompletableFuture.supplyAsync(() -> declareQueue(channel));
            assertThat(answer.copy().completeOnTimeout("silence", 300, TimeUnit.MILLISECONDS))
                    .succeedsWithin(Duration.ofSeconds(5))
                    .isEqualTo("silence");
            server.resume();

            assertThat(answer).succeedsWithin(Duration.ofSeconds(20)).isNotEqualTo("silence");
        }
    }

    @Test
    void isControlledFromTheCommandLine() throws Exception {
        try (Connection connection = connect()) {
            connection.createChannel();

            assertThat(server.control("list_channels", "number").strip()).isEqualTo("1");
        }
    }

    @Test
    void theSharedNodeIsStartedOnce() {
        RabbitServer shared = RabbitServer.shared();

        assertThat(RabbitServer.shared()).isSameAs(shared);
        assertThat(shared).isNotSameAs(server);
    }

    private Connection connect() throws Exception {
        ConnectionFactory factory = new ConnectionFactory();
        factory.setUri(server.uri());
        factory.setAutomaticRecoveryEnabled(false);
        return factory.newConnection();
    }

    private static String declareQueue(Channel channel) {
        try {
            return channel.queueDeclare().getQueue();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
