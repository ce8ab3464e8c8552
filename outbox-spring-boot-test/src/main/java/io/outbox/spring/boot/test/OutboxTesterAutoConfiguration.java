package io.outbox.spring.boot.test;

import io.outbox.Outbox;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.OutboxCustomizer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/** The {@link OutboxTester} of a context, and its hand in every outbox that the starter builds there. */
@AutoConfiguration(before = OutboxAutoConfiguration.class)
class OutboxTesterAutoConfiguration {

    private final TestTime time = new TestTime();
    private final EventRecord record = new EventRecord();

    @Bean
    OutboxTester outboxTester(ObjectProvider<Outbox> outboxes, ObjectProvider<JsonCodec> codecs) {
        return new OutboxTester(outboxes, codecs, record, time);
    }

    /** Last, so that it is around whatever the application puts into the outbox. */
    @Bean
    @Order
    OutboxCustomizer outboxTesterCustomizer() {
        return builder -> {
            record.begin();
            builder.clock(time.clock())
                    .writerHook(time)
                    .decorateBackend(backend -> new RecordingBackend(backend, record, time));
        };
    }
}
