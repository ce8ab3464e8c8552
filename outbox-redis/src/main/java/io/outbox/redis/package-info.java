/** Events in Redis. Begin with {@link io.outbox.redis.RedisOutbox}. */
@NullMarked
package io.outbox.redis;

import org.jspecify.annotations.NullMarked;
