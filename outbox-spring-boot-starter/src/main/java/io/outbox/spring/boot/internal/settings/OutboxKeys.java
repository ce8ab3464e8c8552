package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxProperties;

/** The settings of the outbox itself. */
public final class OutboxKeys extends FeatureSettings {

    public static final String MODE = "outbox.mode";

    /** Whether there is a consumer: an application that only consumes has no outbox. */
    public static final String CONSUMER = "outbox.consumer.enabled";

    static final String PREFIX = "outbox";
    static final String WORKER_COUNT = "outbox.dispatcher.worker-count";
    static final String RETRY_MAX_DELAY = "outbox.retry.max-delay";
    static final String LOCKING = "outbox.claim-locking.enabled";
    static final String LOCK_TIMEOUT = "outbox.claim-locking.lock-timeout";
    static final String PURGE = "outbox.purge.enabled";
    static final String PURGE_RETENTION = "outbox.purge.retention";
    static final String PURGE_BATCH_SIZE = "outbox.purge.batch-size";
    static final String PURGE_INTERVAL = "outbox.purge.interval";
    static final String SCHEMA_INITIALIZE = "outbox.schema.initialize";

    OutboxKeys() {
        super(PREFIX, OutboxProperties.class);
    }
}
