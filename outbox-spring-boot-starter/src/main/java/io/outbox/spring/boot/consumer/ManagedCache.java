package io.outbox.spring.boot.consumer;

import static io.outbox.spring.boot.internal.settings.FeatureSettings.require;

import io.outbox.inbox.ConsumedEventCache;
import io.outbox.upkeep.DurationText;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** A cache of the application's CacheManager, asked for by its name each time: it may be replaced, or gone. */
final class ManagedCache implements ConsumedEventCache {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final String CACHE_NAME = ConsumerKeys.of("cache.cache-name");

    /** Text, which every serializer of a cache can write. */
    private static final String CONSUMED = "consumed";

    private final CacheManager caches;
    private final String name;

    private ManagedCache(CacheManager caches, String name) {
        this.caches = caches;
        this.name = name;
    }

    /** Returns the cache; refuses one that does not exist, or that remembers for longer than the database does. */
    static ManagedCache of(String name, ObjectProvider<CacheManager> managers, ConsumerSettings settings) {
        CacheManager manager = managers.getIfUnique();
        require(manager != null, CACHE_NAME, name, noManager(managers));
        Cache cache = manager.getCache(name);
        require(
                cache != null,
                CACHE_NAME,
                name,
                "is not a cache of the CacheManager, which has " + manager.getCacheNames()
                        + "; define it there, or name another one");
        settings.cleanUp().ifPresent(cleanUp -> checkLife(name, CacheLife.of(cache), cleanUp.ttl()));
        return new ManagedCache(manager, name);
    }

    private static String noManager(ObjectProvider<CacheManager> managers) {
        List<String> found =
                managers.stream().map(manager -> manager.getClass().getName()).toList();
        String remedy = ", or set " + ConsumerKeys.of("cache.enabled") + "=false";
        return found.isEmpty()
                ? "needs a CacheManager bean, and there is none: add @EnableCaching and spring-boot-starter-cache, or define"
                        + " the bean" + remedy
                : "needs one CacheManager bean, and there are several, " + found + ": mark one as @Primary" + remedy;
    }

    private static void checkLife(String name, CacheLife life, Duration ttl) {
        require(
                life.isUnknown() || life.isForever() || life.duration().compareTo(ttl) <= 0,
                ConsumerKeys.of("clean-up.ttl"),
                ttl,
                "is shorter than the life of entries in the cache '" + name + "', which is "
                        + DurationText.of(life.duration())
                        + ": the cache would hold entries whose marks were deleted. Keep marks for longer, or let"
                        + " entries expire sooner");
        if (life.isForever()) {
            LOG.log(
                    Level.WARNING,
                    "Entries of the cache ''{0}'' do not expire, or not while they are read: it grows, and holds"
                            + " entries whose marks were deleted after {1}. Let entries expire sooner than that",
                    name,
                    DurationText.of(ttl));
        }
    }

    @Override
    public boolean contains(String key) {
        return cache().get(key) != null;
    }

    @Override
    public void add(String key) {
        cache().put(key, CONSUMED);
    }

    private Cache cache() {
        Cache cache = caches.getCache(name);
        if (cache == null) {
            throw new IllegalStateException("The CacheManager no longer has the cache '" + name + "'");
        }
        return cache;
    }
}
