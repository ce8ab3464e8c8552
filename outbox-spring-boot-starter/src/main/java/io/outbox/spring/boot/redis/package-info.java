/**
 * The engine on Redis, from what the application says about its server. Begin with {@link
 * io.outbox.spring.boot.redis.OutboxRedisAutoConfiguration}.
 */
package io.outbox.spring.boot.redis;
