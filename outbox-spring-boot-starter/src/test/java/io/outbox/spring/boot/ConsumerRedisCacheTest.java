package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.ClientOptions;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.testservers.RedisServer;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.CacheManager;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.cache.RedisCacheConfiguration;
import org.springframework.data.redis.cache.RedisCacheManager;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** The idempotent consumer with a cache in Redis, through Spring Data. */
class ConsumerRedisCacheTest {

    private static final String CACHE = "outbox:consumed";

    private static RedisServer server;
    private static LettuceConnectionFactory connections;

    @BeforeAll
    static void start() {
        server = RedisServer.start();
        RedisStandaloneConfiguration address = new RedisStandaloneConfiguration("127.0.0.1", server.port());
        address.setPassword(server.password());
        connections = new LettuceConnectionFactory(
                address,
                LettuceClientConfiguration.builder()
                        .clientOptions(ClientOptions.builder()
                                .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
                                .build())
                        .shutdownTimeout(Duration.ZERO)
                        .build());
        connections.afterPropertiesSet();
        connections.start();
    }

    @AfterAll
    static void stop() {
        connections.destroy();
        server.close();
    }

    private static ApplicationContextRunner application(Duration life) {
        return ConsumerApplication.runner()
                .withPropertyValues("outbox.consumer.cache.cache-name=" + CACHE)
                .withBean(
                        CacheManager.class,
                        () -> RedisCacheManager.builder(connections)
                                .cacheDefaults(RedisCacheConfiguration.defaultCacheConfig()
                                        .entryTtl(life))
                                .build());
    }

    private static Map<String, Object> message() {
        return Map.of("outbox_event_id", UUID.randomUUID());
    }

    private static void consume(ApplicationContext context, Map<String, Object> message) {
        context.getBean(OutboxIdempotentConsumer.class).consume(message, () -> ConsumerApplication.bill(context));
    }

    /** Spring's cache does not wait until Redis has what it was given. */
    private static boolean remembersSomething() {
        try (RedisConnection connection = connections.getConnection()) {
            return connection.serverCommands().dbSize() > 0;
        }
    }

    @Test
    void knowsEventsOfOtherNodesAndGoesOnWithoutRedis() {
        application(Duration.ofHours(1)).run(context -> {
            Map<String, Object> first = message();
            consume(context, first);
            await().atMost(Duration.ofSeconds(60)).until(ConsumerRedisCacheTest::remembersSomething);
            ConsumerApplication.jdbc(context).update("DELETE FROM outbox_consumed_event");
            consume(context, first);
            assertThat(ConsumerApplication.count(context, "bill")).isEqualTo(1);

            Map<String, Object> second = message();
            List<Map<String, Object>> fresh = new ArrayList<>();
            context.getBean(OutboxIdempotentConsumer.class).consume(List.of(first, second), fresh::addAll);
            assertThat(fresh).containsExactly(second);

            try (LogLines lines = new LogLines()) {
                server.kill();
                Map<String, Object> third = message();
                consume(context, third);
                consume(context, third);
                assertThat(ConsumerApplication.count(context, "bill")).isEqualTo(2);
                assertThat(lines.at(Level.WARNING))
                        .filteredOn(line -> line.contains("The cache of consumed events failed"))
                        .hasSize(1);
                server.restart();
            }
            consume(context, second);
            assertThat(ConsumerApplication.count(context, "bill"))
                    .as("known to the database, though Redis has lost it")
                    .isEqualTo(2);
        });
    }

    @Test
    void mustNotRememberForLongerThanTheDatabase() {
        application(Duration.ofHours(25))
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("outbox.consumer.clean-up.ttl")
                        .hasStackTraceContaining("25h"));
    }
}
