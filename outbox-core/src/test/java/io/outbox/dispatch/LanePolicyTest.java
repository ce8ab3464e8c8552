package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

class LanePolicyTest {

    @Test
    void hasTheDocumentedDefaults() {
        LanePolicy policy = LanePolicy.builder().build();

        assertThat(policy.batchSize()).isZero();
        assertThat(policy.maxAttempts()).isEqualTo(OutboxDispatcher.DEFAULT_MAX_ATTEMPTS);
        assertThat(policy.retryPolicy()).isInstanceOf(ExponentialBackoffRetryPolicy.class);
        assertThat(policy.concurrency()).isEqualTo(1);
        assertThat(policy.maxPerSecond()).isZero();
        assertThat(policy.queueCapacity()).isEqualTo(OutboxDispatcher.DEFAULT_COLD_QUEUE_CAPACITY);
        assertThat(policy.pollInterval()).isNull();
        assertThat(policy.startDelay()).isZero();
    }

    @Test
    void keepsWhatItIsGiven() {
        RetryPolicy retryPolicy = attempts -> 5;

        LanePolicy policy = LanePolicy.builder()
                .batchSize(2)
                .maxAttempts(3)
                .retryPolicy(retryPolicy)
                .concurrency(4)
                .maxPerSecond(5)
                .queueCapacity(6)
                .pollInterval(Duration.ofMillis(7))
                .startDelay(Duration.ofMillis(8))
                .build();

        assertThat(policy.batchSize()).isEqualTo(2);
        assertThat(policy.maxAttempts()).isEqualTo(3);
        assertThat(policy.retryPolicy()).isSameAs(retryPolicy);
        assertThat(policy.concurrency()).isEqualTo(4);
        assertThat(policy.maxPerSecond()).isEqualTo(5);
        assertThat(policy.queueCapacity()).isEqualTo(6);
        assertThat(policy.pollInterval()).hasMillis(7);
        assertThat(policy.startDelay()).hasMillis(8);
    }

    @Test
    void doesNotChangeWithItsBuilder() {
        LanePolicy.Builder builder = LanePolicy.builder().concurrency(2);
        LanePolicy policy = builder.build();

        builder.concurrency(3);

        assertThat(policy.concurrency()).isEqualTo(2);
    }

    @TestFactory
    Stream<DynamicTest> refusesBadInput() {
        return Stream.of(
                refuses("batchSize", 0, builder -> builder.batchSize(0)),
                refuses("batchSize", -1, builder -> builder.batchSize(-1)),
                refuses("maxAttempts", 0, builder -> builder.maxAttempts(0)),
                refuses("concurrency", 0, builder -> builder.concurrency(0)),
                refuses("maxPerSecond", 0, builder -> builder.maxPerSecond(0)),
                refuses("maxPerSecond", -5, builder -> builder.maxPerSecond(-5)),
                refuses("queueCapacity", 0, builder -> builder.queueCapacity(0)),
                refuses("pollInterval", Duration.ZERO, builder -> builder.pollInterval(Duration.ZERO)),
                refuses("pollInterval", "PT-1S", builder -> builder.pollInterval(Duration.ofSeconds(-1))),
                refuses("startDelay", "PT-0.001S", builder -> builder.startDelay(Duration.ofMillis(-1))),
                refusesNull("retryPolicy", builder -> builder.retryPolicy(null)),
                refusesNull("pollInterval", builder -> builder.pollInterval(null)),
                refusesNull("startDelay", builder -> builder.startDelay(null)));
    }

    private static DynamicTest refuses(String name, Object value, Consumer<LanePolicy.Builder> setting) {
        return dynamicTest(
                name + " " + value,
                () -> assertThatIllegalArgumentException()
                        .isThrownBy(() -> setting.accept(LanePolicy.builder()))
                        .withMessageContaining(name)
                        .withMessageContaining(value.toString()));
    }

    private static DynamicTest refusesNull(String name, Consumer<LanePolicy.Builder> setting) {
        return dynamicTest(
                name + " null",
                () -> assertThatNullPointerException()
                        .isThrownBy(() -> setting.accept(LanePolicy.builder()))
                        .withMessageContaining(name));
    }
}
