package io.outbox.spring.boot.redis;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;

/** Keeps the scripts of the engine and the commands of its blocks in a native image. */
final class RedisHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, ClassLoader classLoader) {
        hints.resources().registerPattern("io/outbox/redis/*.lua");
        hints.proxies().registerJdkProxy(TypeReference.of("io.lettuce.core.api.async.RedisAsyncCommands"));
        hints.proxies().registerJdkProxy(TypeReference.of("io.lettuce.core.RedisFuture"));
    }
}
