package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.jdbc.TableNames;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.Lease;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

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

    @ParameterizedTest
    @CsvSource({
        "outbox.mode,sometimes",
        "outbox.table-name,''",
        "outbox.table-name,events; DROP TABLE x",
        "outbox.dispatcher.worker-count,0",
        "outbox.dispatcher.worker-count,many",
        "outbox.dispatcher.hot-queue-capacity,0",
        "outbox.dispatcher.cold-queue-capacity,-1",
        "outbox.dispatcher.max-attempts,0",
        "outbox.dispatcher.drain-timeout-ms,-1",
        "outbox.retry.base-delay-ms,0",
        "outbox.retry.max-delay-ms,5",
        "outbox.poller.interval-ms,0",
        "outbox.poller.batch-size,0",
        "outbox.poller.skip-recent-ms,-1",
        "outbox.claim-locking.enabled,true",
        "outbox.claim-locking.enabled,perhaps",
        "outbox.claim-locking.owner-id,' '",
        "outbox.claim-locking.lock-timeout,0s",
        "outbox.claim-locking.lock-timeout,soon",
        "outbox.purge.enabled,perhaps",
        "outbox.purge.retention,-1s",
        "outbox.purge.batch-size,0",
        "outbox.purge.interval-seconds,0",
        "outbox.metrics.enabled,perhaps",
        "outbox.metrics.name-prefix,''",
        "outbox.metrics.name-prefix,orders.",
        "outbox.schema.initialize,sometimes",
        "outbox.health.max-lag,0s"
    })
    void refusesToStartWithABadValueAndNamesTheKey(String key, String value) {
        TestApplication.runner().withPropertyValues(key + "=" + value).run(context -> {
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

    @Test
    void needsClaimLockingForSeveralNodes() {
        TestApplication.runner().withPropertyValues("outbox.mode=MULTI_NODE").run(context -> {
            assertThat(context).hasFailed();
            assertThat(causes(context.getStartupFailure())).contains("outbox.claim-locking.enabled", "MULTI_NODE");
        });
    }

    // Metadata for editors, and documentation

    private static List<Map<String, Object>> metadata(String section) throws IOException {
        return entries(EditorMetadata.read().get(section));
    }

    private static List<Map<String, Object>> entries(Object section) {
        return ((List<?>) section).stream().map(OutboxPropertiesTest::entry).toList();
    }

    private static Map<String, Object> entry(Object entry) {
        Map<String, Object> typed = new TreeMap<>();
        ((Map<?, ?>) entry).forEach((key, value) -> typed.put((String) key, value));
        return typed;
    }

    /** Tells these properties from those of the publisher, which have a test of their own. */
    private static boolean isOfTheEngine(Map<String, Object> property) {
        String name = (String) property.get("name");
        return name.startsWith("outbox.")
                && Stream.of("publisher", "consumer", "tables", "thread-pool-size")
                        .noneMatch(other -> name.startsWith("outbox." + other));
    }

    private static Map<String, String> defaults() throws IOException {
        Map<String, String> defaults = new TreeMap<>();
        for (Map<String, Object> property : metadata("properties")) {
            if (isOfTheEngine(property)) {
                Object value = property.get("defaultValue");
                defaults.put((String) property.get("name"), value == null ? "" : value.toString());
            }
        }
        return defaults;
    }

    @Test
    void describesEveryPropertyToEditors() throws IOException {
        assertThat(metadata("properties"))
                .filteredOn(OutboxPropertiesTest::isOfTheEngine)
                .hasSize(23)
                .allSatisfy(property -> assertThat((String) property.get("description"))
                        .as("%s", property.get("name"))
                        .isNotBlank());
        assertThat(metadata("hints"))
                .extracting(hint -> hint.get("name"))
                .contains("outbox.mode", "outbox.schema.initialize");
    }

    @Test
    void tellsEditorsTheDefaultsOfTheCode() throws IOException {
        Map<String, String> defaults = defaults();
        defaults.remove("outbox.claim-locking.owner-id");
        assertThat(defaults).doesNotContainValue("");
        OutboxProperties bound = new Binder(new MapConfigurationPropertySource(defaults))
                .bind("outbox", OutboxProperties.class)
                .get();
        assertThat(bound).usingRecursiveComparison().isEqualTo(new OutboxProperties());
    }

    @Test
    void hasATableOfAllPropertiesInTheDocumentation() throws IOException {
        Path document = Path.of("..", "docs", "spring.md");
        Matcher rows = Pattern.compile("(?m)^\\| `(outbox\\.[a-z.-]+)` \\| (?:`([^`]*)`)? *\\| \\S.* \\|$")
                .matcher(Files.readString(document));
        Map<String, String> documented = new TreeMap<>();
        while (rows.find()) {
            documented.put(rows.group(1), rows.group(2) == null ? "" : rows.group(2));
        }
        assertThat(documented).isEqualTo(defaults());
    }
}
