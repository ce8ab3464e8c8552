package io.outbox.spring.boot.brokers;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.LanePolicy;
import io.outbox.spring.boot.OutboxPublisherProperties;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;

class LanePoliciesTest {

    private static LanePolicy policy(String... settings) {
        Map<String, String> all = new HashMap<>(Map.of("outbox.publisher.events.placed.topic", "orders"));
        for (String setting : settings) {
            all.put("outbox.publisher." + setting.split("=")[0], setting.split("=")[1]);
        }
        OutboxPublisherProperties publisher = new Binder(new MapConfigurationPropertySource(all))
                .bind("outbox.publisher", OutboxPublisherProperties.class)
                .get();
        return new LanePolicies(publisher.defaults()).of(publisher.events().get("placed"));
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
        LanePolicy policy = policy(
                "defaults.batch-size=7",
                "defaults.max-retries=0",
                "defaults.initial-delay=3s",
                "defaults.rate-limit=9",
                "defaults.backoff.delay=1s",
                "defaults.backoff.multiplier=2");
        assertThat(policy.batchSize()).isEqualTo(7);
        assertThat(policy.maxAttempts()).isEqualTo(1);
        assertThat(policy.startDelay()).isEqualTo(Duration.ofSeconds(3));
        assertThat(policy.maxPerSecond()).isEqualTo(9);
        assertThat(delaysOf(policy, 3)).containsExactly(1000, 2000, 4000);
    }

    @Test
    void prefersTheSettingsOfTheEventType() {
        LanePolicy policy = policy(
                "defaults.batch-size=7",
                "defaults.backoff.enabled=false",
                "events.placed.batch-size=8",
                "events.placed.fixed-delay=300ms",
                "events.placed.max-retries=5",
                "events.placed.concurrency=2",
                "events.placed.rate-limit=100",
                "events.placed.initial-delay=4s",
                "events.placed.backoff.enabled=true",
                "events.placed.backoff.delay=5s");
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
        LanePolicy policy = policy("events.placed.fixed-delay=300ms", "events.placed.backoff.enabled=false");
        assertThat(delaysOf(policy, 3)).containsExactly(300, 300, 300);
    }
}
