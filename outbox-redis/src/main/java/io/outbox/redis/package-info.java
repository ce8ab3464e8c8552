/** Events in Redis. Begin with {@link io.outbox.redis.RedisOutbox}. */
package io.outbox.redis;
