package io.outbox.spring.boot.redis;

import io.outbox.redis.RedisOutbox;
import io.outbox.redis.RedisOutboxException;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.ExplicitSettings;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The engine on Redis, on connections of its own to the server that the application's factory connects to. */
class RedisEngineConfiguration {

    private static final String DEAD_LETTERS = "outbox.publisher.dlq.enabled";
    private static final String MASTER_REPLICA = "spring.data.redis.masterreplica";

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    RedisOutbox outboxRedis(
            ObjectProvider<LettuceConnectionFactory> factories, OutboxProperties properties, Environment environment) {
        refuseWhatCannotBe(environment);
        LettuceConnectionFactory connections = factories.getIfUnique();
        if (connections == null) {
            throw new OutboxStartupException(
                    "outbox.backend is redis, but there is no single LettuceConnectionFactory that names the server",
                    "Add spring-boot-starter-data-redis and set spring.data.redis.*, mark one of several factories as @Primary,"
                            + " or define a bean of type RedisOutbox");
        }
        RedisOutbox.Builder builder = RedisAddress.builder(connections);
        LettuceClientConfiguration client = connections.getClientConfiguration();
        try {
            return configured(builder, client, properties.getRedis()).connect();
        } catch (IllegalArgumentException e) {
            throw new OutboxStartupException("outbox.redis is not valid: " + e.getMessage(), "Correct outbox.redis.*");
        } catch (RedisOutboxException e) {
            throw new OutboxStartupException(
                    "The outbox cannot use its Redis: " + e.getMessage(),
                    "Start the server, or correct spring.data.redis.*");
        } catch (IllegalStateException e) {
            throw new OutboxStartupException(
                    "The outbox cannot rely on its Redis: " + e.getMessage(),
                    "Change the server or the settings, or name another server with spring.data.redis.*");
        }
    }

    private static void refuseWhatCannotBe(Environment environment) {
        if (environment.getProperty(DEAD_LETTERS, Boolean.class, false)) {
            throw new OutboxStartupException(
                    DEAD_LETTERS + " is true, but outbox.backend is redis, where events that die stay among the others",
                    "Remove outbox.publisher.dlq.*; Outbox.deadEvents() shows DEAD events and replays them");
        }
        if (new ExplicitSettings(environment).hasAnyBelow(MASTER_REPLICA)) {
            throw new OutboxStartupException(
                    "outbox.backend is redis, and " + MASTER_REPLICA + " does not name the node that takes writes",
                    "Define a bean of type RedisOutbox that connects to the primary, or set spring.data.redis.sentinel.*");
        }
    }

    private static RedisOutbox.Builder configured(
            RedisOutbox.Builder builder, LettuceClientConfiguration client, OutboxProperties.Redis settings) {
        builder.name(settings.getName()).deliverWrites(RedisEngineConfiguration::afterTransaction);
        if (settings.getWaitForReplicas() > 0) {
            builder.waitForReplicas(settings.getWaitForReplicas(), settings.getReplicaTimeout());
        }
        client.getClientOptions().ifPresent(builder::clientOptions);
        client.getClientResources().ifPresent(builder::clientResources);
        return builder;
    }

    /**
     * Lets the delivery of what is written in a transaction of Spring begin at its end; it is stored whatever that is.
     */
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
