package io.outbox.spring.boot.redis;

import io.lettuce.core.RedisClient;
import io.outbox.redis.RedisOutbox;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * Auto-configuration of an outbox in Redis, with {@code outbox.backend: redis}. Every bean gives way to one of the
 * application.
 */
@AutoConfiguration(
        before = OutboxAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration"
        })
@ConditionalOnProperty(name = "outbox.backend", havingValue = "redis")
@ConditionalOnOutboxEnabled
@Import({OutboxRedisAutoConfiguration.WithoutSpringData.class, OutboxRedisAutoConfiguration.WithoutLettuce.class})
public class OutboxRedisAutoConfiguration {

    @ConditionalOnClass({RedisOutbox.class, RedisClient.class, LettuceConnectionFactory.class})
    @Import(RedisEngineConfiguration.class)
    static class Engine {}

    @ConditionalOnMissingClass("org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory")
    static class WithoutSpringData {
        WithoutSpringData() {
            throw missing("Spring Data Redis");
        }
    }

    @ConditionalOnMissingClass("io.lettuce.core.RedisClient")
    static class WithoutLettuce {
        WithoutLettuce() {
            throw missing("Lettuce");
        }
    }

    /** Says what is missing, instead of falling back on a table. */
    private static OutboxStartupException missing(String what) {
        return new OutboxStartupException(
                "outbox.backend is redis, but " + what + " is not on the class path",
                "Add org.springframework.boot:spring-boot-starter-data-redis, which brings Lettuce");
    }
}
