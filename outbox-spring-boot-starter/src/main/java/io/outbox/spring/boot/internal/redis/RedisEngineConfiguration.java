package io.outbox.spring.boot.internal.redis;

import io.outbox.redis.RedisOutbox;
import io.outbox.redis.RedisOutboxException;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The engine on Redis, on connections of its own to the server that the application's factory connects to. */
@Configuration(proxyBeanMethods = false)
public class RedisEngineConfiguration {

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    RedisOutbox outboxRedis(ObjectProvider<LettuceConnectionFactory> factories, OutboxProperties properties) {
        LettuceConnectionFactory connections = factories.getIfUnique();
        if (connections == null) {
            throw new OutboxStartupException(
                    "outbox.backend is redis, but there is no single LettuceConnectionFactory to tell where Redis is",
                    "Add spring-boot-starter-data-redis and set spring.data.redis.*, mark one of several factories as @Primary,"
                            + " or define a bean of type RedisOutbox");
        }
        RedisOutbox.Builder builder = RedisOutbox.builder(RedisAddress.of(connections))
                .name(properties.getRedis().getName())
                .deliverWrites(RedisEngineConfiguration::afterTransaction);
        connections.getClientConfiguration().getClientOptions().ifPresent(builder::clientOptions);
        connections.getClientConfiguration().getClientResources().ifPresent(builder::clientResources);
        return connect(builder);
    }

    private static RedisOutbox connect(RedisOutbox.Builder builder) {
        try {
            return builder.connect();
        } catch (RedisOutboxException e) {
            throw new OutboxStartupException(
                    "The outbox cannot use its Redis: " + e.getMessage(),
                    "Start the server, or correct spring.data.redis.*");
        } catch (IllegalStateException e) {
            throw new OutboxStartupException(
                    "The outbox cannot rely on its Redis: " + e.getMessage(),
                    "Change the server, or name another one with spring.data.redis.*");
        }
    }

    /** Lets the delivery of what is written in a transaction of Spring begin at its end; it is stored whatever that is. */
    private static void afterTransaction(Runnable delivery) {
        if (!TransactionSynchronizationManager.isSynchronizationActive()) {
            delivery.run();
            return;
        }
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                delivery.run();
            }
        });
    }

    @Bean
    @ConditionalOnMissingBean
    OutboxBackend outboxBackend(RedisOutbox redis) {
        return redis.backend();
    }

    @Bean
    @ConditionalOnMissingBean
    WakeUp outboxWakeUp(RedisOutbox redis) {
        return redis.wakeUp();
    }
}
