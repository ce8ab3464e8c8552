package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.internal.brokers.LanePolicies;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LanePoliciesTest {

    private final OutboxPublisherProperties properties = new OutboxPublisherProperties();
    private final OutboxEventProperties event = new OutboxEventProperties();

    private LanePolicy policy() {
        return new LanePolicies(properties.getDefaults()).of(event);
    }

    private static long[] delaysOf(LanePolicy policy, int attempts) {
        return IntStream.rangeClosed(1, attempts)
                .mapToLong(policy.retryPolicy()::computeDelayMs)
                .toArray();
    }

    @Test
    void sendsOnceAndTriesAgainThreeTimesUnlessToldOtherwise() {
        LanePolicy policy = policy();
        assertThat(policy.maxAttempts()).isEqualTo(4);
        assertThat(delaysOf(policy, 3)).containsExactly(10_000, 30_000, 90_000);
        assertThat(policy.batchSize()).isEqualTo(50);
        assertThat(policy.pollInterval()).isEqualTo(Duration.ofSeconds(2));
        assertThat(policy.startDelay()).isZero();
        assertThat(policy.concurrency()).isEqualTo(1);
        assertThat(policy.maxPerSecond()).isZero();
    }

    @Test
    void inheritsTheDefaultsOfTheApplication() {
        properties.getDefaults().setBatchSize(7);
        properties.getDefaults().setMaxRetries(0);
        properties.getDefaults().setInitialDelay(Duration.ofSeconds(3));
        properties.getDefaults().setRateLimit(9);
        properties.getDefaults().getBackoff().setDelay(Duration.ofSeconds(1));
        properties.getDefaults().getBackoff().setMultiplier(2.0);
        LanePolicy policy = policy();
        assertThat(policy.batchSize()).isEqualTo(7);
        assertThat(policy.maxAttempts()).isEqualTo(1);
        assertThat(policy.startDelay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(policy.maxPerSecond()).isEqualTo(9);
        assertThat(delaysOf(policy, 3)).containsExactly(1000, 2000, 4000);
    }

    @Test
    void prefersTheSettingsOfTheEventType() {
        properties.getDefaults().setBatchSize(7);
        properties.getDefaults().getBackoff().setEnabled(false);
        event.setBatchSize(8);
        event.setFixedDelay(Duration.ofMillis(300));
        event.setMaxRetries(5);
        event.setConcurrency(2);
        event.setRateLimit(100);
        event.setInitialDelay(Duration.ofSeconds(4));
        event.getBackoff().setEnabled(true);
        event.getBackoff().setDelay(Duration.ofSeconds(5));
        LanePolicy policy = policy();
        assertThat(policy.batchSize()).isEqualTo(8);
        assertThat(policy.pollInterval()).isEqualTo(Duration.ofMillis(300));
        assertThat(policy.maxAttempts()).isEqualTo(6);
        assertThat(policy.concurrency()).isEqualTo(2);
        assertThat(policy.maxPerSecond()).isEqualTo(100);
        assertThat(policy.startDelay()).isEqualTo(Duration.ofSeconds(4));
        assertThat(delaysOf(policy, 2)).containsExactly(5000, 15_000);
    }

    @Test
    void waitsForTheFixedDelayWithoutBackoff() {
        event.setFixedDelay(Duration.ofMillis(300));
        event.getBackoff().setEnabled(false);
        assertThat(delaysOf(policy(), 3)).containsExactly(300, 300, 300);
    }
}
