/** The engine on Redis, from what the application says about its server. Begin with {@link io.outbox.spring.boot.internal.redis.RedisEngineConfiguration}. */
package io.outbox.spring.boot.internal.redis;
