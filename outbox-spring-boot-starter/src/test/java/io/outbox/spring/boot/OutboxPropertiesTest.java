package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.jdbc.TableNames;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.Lease;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.testservers.support.LogLines;
import java.time.Duration;
import java.util.logging.Level;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class OutboxPropertiesTest {

    @Test
    void hasTheDefaultsOfTheCore() {
        OutboxProperties properties = new OutboxProperties();
        assertThat(properties.getMode()).isEqualTo(OutboxProperties.Mode.SINGLE_NODE);
        assertThat(properties.getTableName()).isEqualTo(TableNames.DEFAULT_TABLE);
        assertThat(properties.getDispatcher().getWorkerCount()).isEqualTo(OutboxDispatcher.DEFAULT_WORKER_COUNT);
        assertThat(properties.getDispatcher().getHotQueueCapacity())
                .isEqualTo(OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY);
        assertThat(properties.getDispatcher().getColdQueueCapacity())
                .isEqualTo(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY);
        assertThat(properties.getDispatcher().getMaxAttempts()).isEqualTo(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS);
        assertThat(properties.getDispatcher().getDrainTimeoutMs()).isEqualTo(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS);
        assertThat(properties.getRetry().getBaseDelayMs())
                .isEqualTo(ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS);
        assertThat(properties.getRetry().getMaxDelayMs()).isEqualTo(ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS);
        assertThat(properties.getPoller().getIntervalMs()).isEqualTo(OutboxPoller.DEFAULT_INTERVAL_MS);
        assertThat(properties.getPoller().getBatchSize()).isEqualTo(OutboxPoller.DEFAULT_BATCH_SIZE);
        assertThat(properties.getPoller().getSkipRecentMs()).isEqualTo(OutboxPoller.DEFAULT_SKIP_RECENT.toMillis());
        assertThat(properties.getClaimLocking().isEnabled()).isFalse();
        assertThat(properties.getClaimLocking().getOwnerId()).isNull();
        assertThat(properties.getClaimLocking().getLockTimeout()).isEqualTo(Lease.DEFAULT_DURATION);
        assertThat(properties.getPurge().isEnabled()).isFalse();
        assertThat(properties.getPurge().getRetention()).isEqualTo(OutboxPurgeScheduler.DEFAULT_RETENTION);
        assertThat(properties.getPurge().getBatchSize()).isEqualTo(OutboxPurgeScheduler.DEFAULT_BATCH_SIZE);
        assertThat(properties.getPurge().getIntervalSeconds()).isEqualTo(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS);
        assertThat(properties.getMetrics().isEnabled()).isTrue();
        assertThat(properties.getMetrics().getNamePrefix()).isEqualTo(MicrometerMetricsExporter.DEFAULT_PREFIX);
        assertThat(properties.getSchema().getInitialize()).isEqualTo(DatabaseInitializationMode.EMBEDDED);
        assertThat(properties.getHealth().getMaxLag()).isEqualTo(Duration.ofMinutes(5));
    }

    /** By it the poller knows whether pages may grow. */
    @Test
    void aBatchSizeThatIsSetIsToldFromTheDefaultEvenIfItIsTheSame() {
        OutboxProperties.Poller poller = new OutboxProperties().getPoller();
        assertThat(poller.ownBatchSize()).isEmpty();

        poller.setBatchSize(OutboxPoller.DEFAULT_BATCH_SIZE);

        assertThat(poller.ownBatchSize()).hasValue(OutboxPoller.DEFAULT_BATCH_SIZE);
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.table-name,events; DROP TABLE x",
        "outbox.retry.max-delay-ms,5",
        "outbox.claim-locking.owner-id,0123456789012345678901234567890123456789012345678901234567890123456789"
                + "0123456789012345678901234567890123456789012345678901234567x",
        "outbox.metrics.name-prefix,''",
        "outbox.metrics.name-prefix,orders."
    })
    void refusesToStartWithABadValueAndNamesTheKey(String key, String value) {
        TestApplication.small().withPropertyValues(key + "=" + value).run(context -> {
            assertThat(context).hasFailed();
            assertThat(causes(context.getStartupFailure())).contains(key);
        });
    }

    private static String causes(Throwable failure) {
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
            if (cause instanceof InvalidConfigurationPropertyValueException invalid) {
                messages.append(invalid.getName()).append('\n');
            }
        }
        return messages.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"outbox.mode=multi-node", "outbox.claim-locking.enabled=true"})
    void takesOneKeyForSeveralNodes(String property) {
        TestApplication.runner()
                .withPropertyValues(property)
                .run(context -> assertThat(context.getBean(OutboxSettings.class).mode())
                        .isEqualTo(OutboxProperties.Mode.MULTI_NODE));
    }

    @ParameterizedTest
    @CsvSource({"multi-node,false", "single-node,true", "ordered,true", "writer-only,true"})
    void refusesAModeThatDoesNotFitClaimLocking(String mode, String claimLocking) {
        TestApplication.runner()
                .withPropertyValues("outbox.mode=" + mode, "outbox.claim-locking.enabled=" + claimLocking)
                .run(context -> {
                    assertThat(context).hasFailed();
                    assertThat(causes(context.getStartupFailure()))
                            .contains("outbox.claim-locking.enabled", "multi-node");
                });
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.dispatcher.drain-timeout,2s,outbox.dispatcher.drain-timeout-ms,2000",
        "outbox.retry.base-delay,300ms,outbox.retry.base-delay-ms,300",
        "outbox.retry.max-delay,2m,outbox.retry.max-delay-ms,120000",
        "outbox.poller.interval,3s,outbox.poller.interval-ms,3000",
        "outbox.poller.skip-recent,50ms,outbox.poller.skip-recent-ms,50",
        "outbox.purge.interval,10m,outbox.purge.interval-seconds,600"
    })
    void takesTimesAsDurationsAndAsNumbers(String key, String duration, String numberKey, String number) {
        ApplicationContextRunner runner = PlainApplication.runner().withPropertyValues("outbox.purge.enabled=true");
        ApplicationContextRunner byDuration = runner.withPropertyValues(key + "=" + duration);
        ApplicationContextRunner byNumber = runner.withPropertyValues(numberKey + "=" + number);
        byDuration.run(one -> byNumber.run(
                other -> assertThat(one.getBean(OutboxSettings.class)).isEqualTo(other.getBean(OutboxSettings.class))));
        runner.run(plain -> byDuration.run(context ->
                assertThat(context.getBean(OutboxSettings.class)).isNotEqualTo(plain.getBean(OutboxSettings.class))));
        byDuration
                .withPropertyValues(numberKey + "=" + number)
                .run(context -> assertThat(context).hasNotFailed());
        byDuration.withPropertyValues(numberKey + "=1" + number).run(context -> {
            assertThat(context).hasFailed();
            assertThat(causes(context.getStartupFailure())).contains(key, numberKey);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.mode=ordered,outbox.dispatcher.worker-count=2",
        "outbox.mode=ordered,outbox.retry.base-delay=1s",
        "outbox.mode=writer-only,outbox.poller.interval=1s",
        "outbox.mode=single-node,outbox.claim-locking.lock-timeout=1m",
        "outbox.purge.enabled=false,outbox.purge.retention=1d",
        "outbox.metrics.enabled=false,outbox.metrics.name-prefix=orders",
        "outbox.backend=jdbc,outbox.redis.name=shop"
    })
    void warnsOfSettingsWithoutEffect(String because, String setting) {
        try (LogLines log = new LogLines()) {
            PlainApplication.runner().withPropertyValues(because, setting).run(context -> {
                assertThat(context).hasNotFailed();
                String key = setting.split("=")[0]
                        .replace("base-delay", "")
                        .replace("poller.interval", "poller")
                        .replace("redis.name", "redis");
                assertThat(log.at(Level.WARNING))
                        .anySatisfy(line ->
                                assertThat(line).contains("has no effect").contains(key.replaceAll("\\.$", "")));
            });
        }
    }

    @Test
    void hasAnOffSwitch() {
        TestApplication.runner()
                .withPropertyValues("outbox.enabled=false", "outbox.poller.interval=none of your business")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(Stream.of(context.getBeanDefinitionNames()).filter(name -> name.startsWith("outbox")))
                            .as("nothing but what refuses listeners that would not be idempotent")
                            .containsExactlyInAnyOrder(
                                    "outboxBrokerListeners",
                                    "outboxIdempotentCheck",
                                    "outboxKafkaRegistryReplacement",
                                    "outboxKafkaRegistryCheck",
                                    "outboxRabbitRegistryReplacement",
                                    "outboxRabbitRegistryCheck",
                                    "outboxAmqpMessageHeaderReader");
                });
    }

    @Test
    void takesABlankOwnerForNone() {
        TestApplication.runner()
                .withPropertyValues("outbox.mode=multi-node", "outbox.claim-locking.owner-id= ")
                .run(context -> assertThat(context.getBean(OutboxSettings.class)
                                .delivery()
                                .locking()
                                .ownerId())
                        .isNull());
    }

    @Test
    void leavesWhatIsBoundAsItIs() {
        TestApplication.runner()
                .withPropertyValues("outbox.publisher.enabled=false", "outbox.purge.enabled=true")
                .run(context -> {
                    OutboxProperties bound = context.getBean(OutboxProperties.class);
                    assertThat(bound.getMode()).isEqualTo(OutboxProperties.Mode.SINGLE_NODE);
                    assertThat(bound.getPurge().isEnabled()).isTrue();
                    OutboxSettings inForce = context.getBean(OutboxSettings.class);
                    assertThat(inForce.mode()).isEqualTo(OutboxProperties.Mode.WRITER_ONLY);
                    assertThat(inForce.purge()).isEmpty();
                });
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.mode=multi-node, outbox.claim-locking.lock-timeout=999ms",
        "outbox.purge.enabled=true, outbox.purge.retention=59s",
        "outbox.publisher.clean-up.enabled=true, outbox.publisher.clean-up.ttl=30s"
    })
    void warnsOfTimesThatAreTooShort(String because, String setting) {
        try (LogLines log = new LogLines()) {
            PlainApplication.runner()
                    .withPropertyValues(because, setting)
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.at(Level.WARNING))
                    .anySatisfy(line -> assertThat(line).contains(setting + " is short"));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.mode=multi-node, outbox.claim-locking.lock-timeout=1s",
        "outbox.mode=single-node, outbox.poller.interval=1s",
        "outbox.purge.enabled=true, outbox.purge.retention=1m",
        "outbox.purge.enabled=true, outbox.purge.retention=0"
    })
    void warnsOfNoOtherTimes(String because, String setting) {
        try (LogLines log = new LogLines()) {
            PlainApplication.runner()
                    .withPropertyValues(because, setting)
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.at(Level.WARNING)).noneMatch(line -> line.contains("is short"));
        }
    }

    @Test
    void warnsOfADurationWithoutAUnit() {
        try (LogLines log = new LogLines()) {
            PlainApplication.runner()
                    .withPropertyValues(
                            "outbox.purge.enabled=true", "outbox.purge.retention=7", "outbox.health.max-lag=5m")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.at(Level.WARNING))
                    .filteredOn(line -> line.contains("has no unit"))
                    .singleElement()
                    .asString()
                    .contains("outbox.purge.retention=7 has no unit and means 7ms", "7d");
        }
    }
}
