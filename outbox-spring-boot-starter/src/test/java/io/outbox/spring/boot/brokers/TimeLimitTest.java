package io.outbox.spring.boot.brokers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Code of the application that must not take for ever. */
class TimeLimitTest {

    private final TimeLimit limit = new TimeLimit(Duration.ofMillis(500));

    @AfterEach
    void close() {
        limit.close();
    }

    @Test
    void aCallReturnsOrFailsAsItWould() {
        assertThat(limit.call("it", () -> "done")).isEqualTo("done");
        assertThatExceptionOfType(SerializationException.class)
                .isThrownBy(() -> limit.call("it", () -> {
                    throw new SerializationException("no schema");
                }));
    }

    @Test
    void aCallThatHangsIsLeftAndInterrupted() throws Exception {
        CountDownLatch interrupted = new CountDownLatch(1);

        assertThatIllegalStateException()
                .isThrownBy(() -> limit.call("the serializer", () -> {
                    try {
                        return new CountDownLatch(1).await(1, TimeUnit.HOURS);
                    } catch (InterruptedException e) {
                        interrupted.countDown();
                        throw e;
                    }
                }))
                .withMessageContaining("the serializer did not answer within PT0.5S");
        assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }
}
