package io.outbox.spring.boot.consumer;

import com.github.benmanes.caffeine.cache.Policy;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.springframework.cache.Cache;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.data.redis.cache.RedisCache;
import org.springframework.util.ClassUtils;

/**
 * How long a cache remembers an entry, as far as it can be asked: Caffeine's, Redis' and the one in memory can.
 *
 * @param duration how long after it was written; {@code null} if it is not known
 */
record CacheLife(Duration duration) {

    private static final CacheLife UNKNOWN = new CacheLife(null);
    private static final CacheLife FOREVER = new CacheLife(ChronoUnit.FOREVER.getDuration());

    static CacheLife of(Cache given) {
        Cache cache = isPresent("org.springframework.cache.transaction.TransactionAwareCacheDecorator")
                ? Decorated.target(given)
                : given;
        if (isPresent("com.github.benmanes.caffeine.cache.Cache")
                && cache.getNativeCache() instanceof com.github.benmanes.caffeine.cache.Cache<?, ?> caffeine) {
            return Caffeine.lifeOf(caffeine);
        }
        if (isPresent("org.springframework.data.redis.cache.RedisCache") && cache instanceof RedisCache redis) {
            return Redis.lifeOf(redis);
        }
        return cache instanceof ConcurrentMapCache ? FOREVER : UNKNOWN;
    }

    private static boolean isPresent(String className) {
        return ClassUtils.isPresent(className, CacheLife.class.getClassLoader());
    }

    boolean isUnknown() {
        return duration == null;
    }

    boolean isForever() {
        return this.equals(FOREVER);
    }

    private static final class Decorated {

        static Cache target(Cache cache) {
            Cache target = cache;
            while (target instanceof TransactionAwareCacheDecorator decorator) {
                target = decorator.getTargetCache();
            }
            return target;
        }
    }

    private static final class Caffeine {

        /**
         * Where life begins again with each read, an entry may live for ever. With a limit of size alone, it may be
         * gone any time.
         */
        static <K, V> CacheLife lifeOf(com.github.benmanes.caffeine.cache.Cache<K, V> cache) {
            Policy<K, V> policy = cache.policy();
            return policy.expireAfterWrite()
                    .map(limit -> new CacheLife(limit.getExpiresAfter()))
                    .orElseGet(() -> policy.expireAfterAccess().isEmpty()
                                    && (policy.expireVariably().isPresent()
                                            || policy.eviction().isPresent())
                            ? UNKNOWN
                            : FOREVER);
        }
    }

    private static final class Redis {

        static CacheLife lifeOf(RedisCache cache) {
            Duration ttl = cache.getCacheConfiguration().getTtlFunction().getTimeToLive("", "");
            return ttl.isZero() || ttl.isNegative() ? FOREVER : new CacheLife(ttl);
        }
    }
}
