package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Keeps documented defaults true. */
class ReadmeTest {

    @Test
    void settingsHaveTheirRealDefaults() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        Matcher row = Pattern.compile("(?m)^\\| `(\\w+)` \\| ([^|]+) \\|")
                .matcher(Files.readString(Page.ROOT.resolve("docs/reference.md")));
        while (row.find()) {
            documented.put(row.group(1), row.group(2).strip());
        }
        assertThat(documented)
                .containsEntry("workerCount", text(OutboxDispatcher.DEFAULT_WORKER_COUNT))
                .containsEntry("maxAttempts", text(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS))
                .containsEntry("hotQueueCapacity", text(OutboxDispatcher.DEFAULT_HOT_QUEUE_CAPACITY))
                .containsEntry("coldQueueCapacity", text(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY))
                .containsEntry("drainTimeoutMs", text(OutboxDispatcher.DEFAULT_DRAIN_TIMEOUT_MS))
                .containsEntry("intervalMs", text(OutboxPoller.DEFAULT_INTERVAL_MS))
                .containsEntry("batchSize", text(OutboxPoller.DEFAULT_BATCH_SIZE))
                .containsEntry("skipRecent", OutboxPoller.DEFAULT_SKIP_RECENT.toSeconds() + " s")
                .containsEntry("purgeRetention", OutboxPurgeScheduler.DEFAULT_RETENTION.toDays() + " days")
                .containsEntry("purgeBatchSize", text(OutboxPurgeScheduler.DEFAULT_BATCH_SIZE))
                .containsEntry("purgeIntervalSeconds", text(OutboxPurgeScheduler.DEFAULT_INTERVAL_SECONDS))
                .containsEntry(
                        "retryPolicy",
                        "exponential, " + ExponentialBackoffRetryPolicy.DEFAULT_BASE_DELAY_MS + " ms to "
                                + ExponentialBackoffRetryPolicy.DEFAULT_MAX_DELAY_MS + " ms");
    }

    private static String text(long value) {
        return Long.toString(value);
    }
}
