package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.benmanes.caffeine.cache.Caffeine;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.logging.Level;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.caffeine.CaffeineCacheManager;
import org.springframework.cache.concurrent.ConcurrentMapCache;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.transaction.TransactionAwareCacheManagerProxy;
import org.springframework.context.ApplicationContext;

/** The application's cache in front of the table of consumed events: it saves work, and decides nothing. */
class ConsumerCacheTest {

    private static final String CACHE = "outbox:consumed";
    private static final String CACHE_NAME = "outbox.consumer.cache.cache-name";

    private final String id = UUID.randomUUID().toString();
    private final Map<String, Object> message = Map.of("outbox_event_id", id);
    private final ApplicationContextRunner runner =
            ConsumerApplication.runner().withPropertyValues(CACHE_NAME + "=" + CACHE);

    /** A cache that does what caches should not. */
    private static class OddCache extends ConcurrentMapCache {
        boolean fails;
        boolean forgets;

        OddCache() {
            super(CACHE);
        }

        @Override
        public ValueWrapper get(Object key) {
            failIfItShould();
            return forgets ? null : super.get(key);
        }

        @Override
        public void put(Object key, Object value) {
            failIfItShould();
            super.put(key, value);
        }

        private void failIfItShould() {
            if (fails) {
                throw new IllegalStateException("the cache is down");
            }
        }
    }

    /** Caches that come and go. */
    private static final class Caches implements CacheManager {
        private final OddCache cache = new OddCache();
        private boolean isGone;

        @Override
        public Cache getCache(String name) {
            return isGone || !name.equals(CACHE) ? null : cache;
        }

        @Override
        public List<String> getCacheNames() {
            return List.of(CACHE);
        }
    }

    private static void consume(ApplicationContext context, Map<String, Object> message) {
        context.getBean(OutboxIdempotentConsumer.class).consume(message, () -> ConsumerApplication.bill(context));
    }

    private static int bills(ApplicationContext context) {
        return ConsumerApplication.count(context, "bill");
    }

    private static InvalidConfigurationPropertyValueException refusal(Throwable failure) {
        Throwable cause = failure;
        while (!(cause instanceof InvalidConfigurationPropertyValueException)) {
            assertThat(cause).as("cause").isNotNull();
            cause = cause.getCause();
        }
        return (InvalidConfigurationPropertyValueException) cause;
    }

    @Test
    void aHitSkipsTheDatabase() {
        Caches caches = new Caches();
        runner.withBean(CacheManager.class, () -> caches).run(context -> {
            consume(context, message);
            assertThat(caches.cache.getNativeCache()).containsOnlyKeys("billing:" + id);
            ConsumerApplication.jdbc(context).update("DELETE FROM outbox_consumed_event");
            consume(context, message);
            assertThat(bills(context)).isEqualTo(1);
        });
    }

    @Test
    void isFilledAfterTheCommitOnly() {
        Caches caches = new Caches();
        runner.withBean(CacheManager.class, () -> caches).run(context -> {
            OutboxIdempotentConsumer consumer = context.getBean(OutboxIdempotentConsumer.class);
            assertThatThrownBy(() -> consumer.consume(message, () -> {
                        throw new IllegalStateException("rolled back");
                    }))
                    .hasMessage("rolled back");
            assertThat(caches.cache.getNativeCache()).isEmpty();
            Deliveries.inTransaction(context, () -> {
                consume(context, message);
                assertThat(caches.cache.getNativeCache()).isEmpty();
            });
            assertThat(caches.cache.getNativeCache()).hasSize(1);
            assertThat(bills(context)).isEqualTo(1);
        });
    }

    @Test
    void theDatabaseDecidesWhileTheCacheFailsForgetsOrIsGoneAndItIsLoggedOnce() {
        Caches caches = new Caches();
        try (LogLines lines = new LogLines()) {
            runner.withBean(CacheManager.class, () -> caches).run(context -> {
                caches.cache.fails = true;
                consume(context, message);
                consume(context, message);
                caches.cache.fails = false;
                caches.cache.forgets = true;
                consume(context, message);
                caches.cache.forgets = false;
                caches.cache.clear();
                consume(context, message);
                caches.isGone = true;
                consume(context, message);
                assertThat(bills(context)).isEqualTo(1);
            });
            assertThat(lines.at(Level.WARNING))
                    .filteredOn(line -> line.contains("The cache of consumed events failed"))
                    .hasSize(1);
        }
    }

    @Test
    void isNotUsedWhereItIsTurnedOff() {
        Caches caches = new Caches();
        runner.withPropertyValues("outbox.consumer.cache.enabled=false")
                .withBean(CacheManager.class, () -> caches)
                .run(context -> {
                    consume(context, message);
                    assertThat(caches.cache.getNativeCache()).isEmpty();
                });
    }

    @Test
    void anUnknownCacheIsRefused() {
        runner.withBean(CacheManager.class, () -> new ConcurrentMapCacheManager("orders"))
                .run(context -> {
                    InvalidConfigurationPropertyValueException refusal = refusal(context.getStartupFailure());
                    assertThat(refusal.getName()).isEqualTo(CACHE_NAME);
                    assertThat(refusal.getReason()).contains("[orders]");
                });
    }

    @Test
    void aCacheWithoutACacheManagerIsRefused() {
        runner.run(context -> assertThat(refusal(context.getStartupFailure()).getReason())
                .contains("@EnableCaching", "outbox.consumer.cache.enabled=false"));
        runner.withBean("one", CacheManager.class, Caches::new)
                .withBean("two", CacheManager.class, Caches::new)
                .run(context -> assertThat(refusal(context.getStartupFailure()).getReason())
                        .contains("several", "@Primary"));
    }

    private static CacheManager caffeine(Duration life) {
        CaffeineCacheManager caches = new CaffeineCacheManager();
        caches.setCaffeine(Caffeine.newBuilder().expireAfterWrite(life));
        return caches;
    }

    @Test
    void aRetentionShorterThanTheLifeOfTheCacheIsRefused() {
        runner.withBean(CacheManager.class, () -> caffeine(Duration.ofHours(25)))
                .run(context -> {
                    InvalidConfigurationPropertyValueException refusal = refusal(context.getStartupFailure());
                    assertThat(refusal.getName()).isEqualTo("outbox.consumer.clean-up.ttl");
                    assertThat(refusal.getReason()).contains(CACHE, "25h");
                });
        runner.withBean(CacheManager.class, () -> caffeine(Duration.ofHours(24)))
                .run(context -> assertThat(context).hasNotFailed());
        runner.withBean(CacheManager.class, () -> caffeine(Duration.ofHours(25)))
                .withPropertyValues("outbox.consumer.clean-up.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aCacheThatForgetsNothingIsWarnedOf() {
        try (LogLines lines = new LogLines()) {
            runner.withBean(CacheManager.class, ConcurrentMapCacheManager::new).run(context -> {
                consume(context, message);
                consume(context, message);
                assertThat(bills(context)).isEqualTo(1);
            });
            assertThat(lines.at(Level.WARNING))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains(CACHE, "do not expire", "1d");
        }
    }

    /** What is read again and again lives on, whatever the limit says. */
    @Test
    void aCacheWhoseEntriesLiveOnWhenTheyAreReadIsWarnedOf() {
        CaffeineCacheManager caches = new CaffeineCacheManager();
        caches.setCaffeine(Caffeine.newBuilder().maximumSize(10).expireAfterAccess(Duration.ofHours(1)));
        try (LogLines lines = new LogLines()) {
            runner.withBean(CacheManager.class, () -> caches)
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(lines.at(Level.WARNING))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains(CACHE, "not while they are read", "1d");
        }
    }

    @Test
    void aCacheThatWaitsForTransactionsIsAskedForItsLifeToo() {
        try (LogLines lines = new LogLines()) {
            runner.withBean(
                            CacheManager.class,
                            () -> new TransactionAwareCacheManagerProxy(new ConcurrentMapCacheManager(CACHE)))
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(lines.at(Level.WARNING))
                    .singleElement(InstanceOfAssertFactories.STRING)
                    .contains(CACHE, "do not expire");
        }
    }
}
