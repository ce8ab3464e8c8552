package io.outbox.spring.boot;

import io.outbox.spring.boot.internal.declaring.Circumstance;
import io.outbox.spring.boot.internal.declaring.Rule;
import io.outbox.spring.boot.internal.declaring.Setting;
import org.springframework.boot.context.properties.ConfigurationProperties;

/** Second names for settings of {@link OutboxProperties}, in the words of the publisher's configuration. */
@ConfigurationProperties("outbox")
public class OutboxGlobalProperties {

    static final int MAX_DEFAULT_THREAD_POOL_SIZE = 5;

    /**
     * Another name for outbox.dispatcher.worker-count. With outbox.publisher.events its default is min(processors, 5).
     */
    @Setting(
            rule = Rule.WORKERS,
            meaning = "outbox.dispatcher.worker-count",
            noEffect = {Circumstance.NO_OUTBOX, Circumstance.WRITER_ONLY, Circumstance.ORDERED})
    private Integer threadPoolSize = defaultThreadPoolSize();

    private final Tables tables = new Tables();

    /** Returns the size that the publisher has by default. */
    private static int defaultThreadPoolSize() {
        return Math.min(Runtime.getRuntime().availableProcessors(), MAX_DEFAULT_THREAD_POOL_SIZE);
    }

    public Integer getThreadPoolSize() {
        return threadPoolSize;
    }

    public void setThreadPoolSize(Integer threadPoolSize) {
        this.threadPoolSize = threadPoolSize;
    }

    public Tables getTables() {
        return tables;
    }

    /** The tables of outbox and consumer. */
    public static class Tables {

        /**
         * Another name for outbox.schema.initialize: true is always, false is never. The default is true with
         * outbox.publisher.events or outbox.consumer.enabled; otherwise that of outbox.schema.initialize counts.
         */
        @Setting(meaning = "outbox.schema.initialize")
        private Boolean autoCreate = defaultOfPublisherAndConsumer();

        /** Returns the default, which editors do not show since it does not hold for every application. */
        private static boolean defaultOfPublisherAndConsumer() {
            return true;
        }

        public Boolean getAutoCreate() {
            return autoCreate;
        }

        public void setAutoCreate(Boolean autoCreate) {
            this.autoCreate = autoCreate;
        }
    }
}
