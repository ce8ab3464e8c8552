package io.outbox.redis;

import io.outbox.spi.ForwardingBackend;

/** The engine on Redis: its three parts as one. Thread-safe. */
final class RedisBackend extends ForwardingBackend {

    RedisBackend(RedisWriting writing, RedisDelivery delivery, RedisHousekeeping housekeeping) {
        super(writing, delivery, housekeeping);
    }
}
