package io.outbox.spring.boot.consumer;

import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spring.boot.internal.failures.MissingBeanAnalyzer;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** Shows why there is no consumer. */
final class MissingConsumerAnalyzer extends MissingBeanAnalyzer {

    MissingConsumerAnalyzer(BeanFactory beans, Environment environment) {
        super(Set.of(OutboxIdempotentConsumer.class), beans, environment);
    }

    @Override
    protected Optional<Explanation> explain(Class<?> type, ListableBeanFactory beans, Environment environment) {
        return because(
                ConsumerKeys.ENABLED + " is not set",
                "Set " + ConsumerKeys.ENABLED + "=true, and do not exclude OutboxConsumerAutoConfiguration");
    }
}
