package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.inTransaction;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.search.MeterNotFoundException;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.OutboxStatus.State;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spring.boot.actuator.OutboxEndpoint;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Health, endpoint and metrics. */
class OutboxActuatorTest {

    /** How often the poller reports the lag by event type. */
    static final Duration LAG_METER_PERIOD = Duration.ofSeconds(10);

    private final ApplicationContextRunner runner =
            TestApplication.runner(Deliveries.class).withPropertyValues("management.endpoints.web.exposure.include=*");

    @Test
    void isUpWhileEventsAreDelivered() {
        runner.run(context -> {
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
            Health health = Health.of(context);
            assertThat(health.status()).isEqualTo("UP");
            assertThat(health.detail("state")).isEqualTo("RUNNING");
            assertThat(health.detail("dead")).isEqualTo(0);
        });
    }

    @Test
    void isUpWhileAnOperatorHasPausedDeliveryHoweverLongEventsWait() {
        runner.withPropertyValues("outbox.health.max-lag=1ms").run(context -> {
            Outbox outbox = context.getBean(Outbox.class);
            outbox.pause();
            write(context, "Placed", "1");
            await().untilAsserted(() ->
                    assertThat((long) Health.of(context).detail("oldestLagMs")).isGreaterThan(1));
            Health paused = Health.of(context);
            assertThat(paused.status()).isEqualTo("UP");
            assertThat(paused.detail("state")).isEqualTo("PAUSED");
            assertThat(paused.detail("paused")).asString().contains("until delivery is resumed");
            outbox.resume();
            await().untilAsserted(() -> {
                assertThat(Health.of(context).status()).isEqualTo("UP");
                assertThat(Health.of(context).detail("paused")).isNull();
            });
        });
    }

    @Test
    void isDownOnceDeliveryIsClosed() {
        runner.run(context -> {
            context.getBean(Outbox.class).close();
            assertThat(Health.of(context).status()).isEqualTo("DOWN");
            assertThat(Health.of(context).detail("reasons")).isEqualTo(List.of("delivery is closed"));
        });
    }

    @Test
    void goesByTheLagWhereTheApplicationStartsDeliveryItself() {
        runner.withPropertyValues("outbox.auto-startup=false", "outbox.health.max-lag=50ms")
                .run(context -> {
                    assertThat(Health.of(context).status()).isEqualTo("UP");
                    assertThat(Health.of(context).detail("state")).isEqualTo("NOT_STARTED");
                    write(context, "Placed", "1");
                    await().untilAsserted(() ->
                            assertThat(Health.of(context).status()).isEqualTo("DOWN"));
                    context.getBean(Outbox.class).deliverDue();
                    assertThat(Health.of(context).status()).isEqualTo("UP");
                });
    }

    @Test
    void showsWhichTargetsAreUnavailableSinceWhenAndWhy() {
        TestApplication.runner(UnreachableTarget.class)
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> {
                    Instant before = Instant.now();
                    write(context, "Sent", "1");
                    OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
                    await().untilAsserted(() -> assertThat(
                                    endpoint.outboxes().outboxes().get("outbox").unavailable())
                            .singleElement()
                            .satisfies(target -> {
                                assertThat(target.eventType()).isEqualTo("Sent");
                                assertThat(target.since()).isBetween(before, Instant.now());
                                assertThat(target.cause()).contains("the broker is down");
                            }));
                    Health health = Health.of(context);
                    assertThat(health.status()).as("until it lasts").isEqualTo("UP");
                    assertThat(health.detail("unavailable"))
                            .isEqualTo(
                                    endpoint.outboxes().outboxes().get("outbox").unavailable());
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("outbox.route.unavailable")
                                    .tag("event.type", "Sent")
                                    .gauge()
                                    .value())
                            .isEqualTo(1);
                });
    }

    @Test
    void isDownWhileTheOldestEventIsTooOldThoughDeliveryRuns() {
        TestApplication.runner(Stuck.class)
                .withPropertyValues("outbox.health.max-lag=50ms")
                .run(context -> {
                    write(context, "Stuck", "1");
                    await().untilAsserted(() -> {
                        Health health = Health.of(context);
                        assertThat(health.detail("state")).isEqualTo("RUNNING");
                        assertThat(health.status()).isEqualTo("DOWN");
                        assertThat((long) health.detail("oldestLagMs")).isGreaterThan(50);
                        assertThat(health.detail("reasons"))
                                .asString()
                                .contains("the oldest due event of type Stuck has waited ")
                                .contains(", more than outbox.health.max-lag=0.05s");
                    });
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    await().atMost(LAG_METER_PERIOD.multipliedBy(3))
                            .ignoreException(MeterNotFoundException.class)
                            .untilAsserted(() -> assertThat(meters.get("outbox.lag.oldest.by.type.ms")
                                            .tag("event.type", "Stuck")
                                            .gauge()
                                            .value())
                                    .isGreaterThan(50));
                    context.getBean(Stuck.class).leave.countDown();
                    await().untilAsserted(() ->
                            assertThat(Health.of(context).status()).isEqualTo("UP"));
                });
    }

    /** A listener that waits until it is let go. */
    @OutboxListener(eventType = "Stuck")
    static class Stuck implements EventListener {
        private final CountDownLatch leave = new CountDownLatch(1);

        @Override
        public DispatchResult onEvent(EventEnvelope event) throws InterruptedException {
            leave.await();
            return DispatchResult.done();
        }
    }

    @Test
    void isUpInWriterOnlyMode() {
        runner.withPropertyValues("outbox.mode=writer-only").run(context -> {
            write(context, "Placed", "1");
            assertThat(Health.of(context).status()).isEqualTo("UP");
        });
    }

    @Test
    void isDownWithoutADatabase() {
        runner.run(context -> {
            context.getBean(com.zaxxer.hikari.HikariDataSource.class).close();
            Health health = Health.of(context);
            assertThat(health.status()).isEqualTo("DOWN");
            assertThat(health.detail("state")).isEqualTo("RUNNING");
            assertThat(health.detail("reasons"))
                    .asString()
                    .contains("the store cannot be asked: ")
                    .contains("has been closed");
        });
    }

    @Test
    void hasNoHealthIndicatorWhereTheApplicationWantsNone() {
        runner.withPropertyValues("management.health.outbox.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("outboxHealthIndicator"));
        runner.withPropertyValues("management.health.defaults.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("outboxHealthIndicator"));
        runner.withPropertyValues("management.health.defaults.enabled=false", "management.health.outbox.enabled=true")
                .run(context -> assertThat(context).hasBean("outboxHealthIndicator"));
    }

    @Test
    void showsStateCountsAndLag() {
        runner.run(context -> {
            OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
            OutboxEndpoint.Descriptor paused = endpoint.changeAll(OutboxEndpoint.Action.PAUSE);
            assertThat(paused.outboxes().get("outbox").state()).isEqualTo("PAUSED");
            write(context, "Placed", "1");
            write(context, "Placed", "2");
            write(context, "Unheard", "3");

            await().untilAsserted(() -> {
                OutboxEndpoint.OutboxDescriptor outbox =
                        endpoint.outboxes().outboxes().get("outbox");
                assertThat(outbox.pending()).isEqualTo(3);
                assertThat(outbox.oldestLagMs()).isPositive();
                assertThat(outbox.eventTypes())
                        .extracting(OutboxEndpoint.TypeDescriptor::eventType, OutboxEndpoint.TypeDescriptor::pending)
                        .containsExactlyInAnyOrder(
                                org.assertj.core.groups.Tuple.tuple("Placed", 2L),
                                org.assertj.core.groups.Tuple.tuple("Unheard", 1L));
            });

            inTransaction(
                    context,
                    () -> context.getBean(OutboxWriter.class)
                            .write(EventEnvelope.builder("Placed")
                                    .payloadJson("4")
                                    .deliverAfter(Duration.ofHours(1))
                                    .build()));
            OutboxEndpoint.TypeDescriptor placed = placed(endpoint);
            assertThat(placed.oldestLagMs()).isPositive();
            assertThat(placed)
                    .isEqualTo(new OutboxEndpoint.TypeDescriptor("Placed", 2, placed.oldestLagMs(), 1, 0, 0, null));

            endpoint.change(OutboxEndpoint.Action.RESUME, "outbox");
            awaitPayloads(context, "1", "2");
            await().untilAsserted(() -> {
                OutboxEndpoint.OutboxDescriptor outbox =
                        endpoint.outboxes().outboxes().get("outbox");
                assertThat(outbox.state()).isEqualTo("RUNNING");
                assertThat(outbox.pending()).isZero();
                assertThat(outbox.dead()).isEqualTo(1);
                assertThat(outbox.unavailable()).isEmpty();
                assertThat(placed(endpoint).later()).isEqualTo(1);
            });
            assertThatThrownBy(() -> endpoint.change(OutboxEndpoint.Action.PAUSE, "elsewhere"))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("'elsewhere'");
        });
    }

    private static OutboxEndpoint.TypeDescriptor placed(OutboxEndpoint endpoint) {
        return endpoint.outboxes().outboxes().get("outbox").eventTypes().stream()
                .filter(type -> type.eventType().equals("Placed"))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void countsDeadEventsOfTypesThatAreStillWritten() {
        runner.run(context -> {
            OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
            write(context, "Unheard", "1");
            await().untilAsserted(() -> assertThat(
                            endpoint.outboxes().outboxes().get("outbox").dead())
                    .isEqualTo(1));
            endpoint.changeAll(OutboxEndpoint.Action.PAUSE);
            write(context, "Unheard", "2");
            await().untilAsserted(() -> assertThat(
                            endpoint.outboxes().outboxes().get("outbox").eventTypes())
                    .extracting(OutboxEndpoint.TypeDescriptor::pending, OutboxEndpoint.TypeDescriptor::dead)
                    .containsExactly(org.assertj.core.groups.Tuple.tuple(1L, 1L)));
        });
    }

    @Test
    void showsWhyEventsAreDeadAndReplaysThem() {
        runner.run(context -> {
            OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
            write(context, "Unheard", "1");
            await().untilAsserted(() -> assertThat(
                            endpoint.outboxes().outboxes().get("outbox").eventTypes())
                    .singleElement()
                    .satisfies(type -> {
                        assertThat(type.eventType()).isEqualTo("Unheard");
                        assertThat(type.dead()).isEqualTo(1);
                        assertThat(type.lastError()).contains("No listener for event type Unheard");
                    }));
            assertThatThrownBy(() -> endpoint.changeAll(OutboxEndpoint.Action.REPLAY))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("/replay/{eventType}");

            context.getBean(DefaultListenerRegistry.class).register("Unheard", event -> {
                context.getBean(Deliveries.class).events.add(event);
                return DispatchResult.done();
            });
            endpoint.change(OutboxEndpoint.Action.REPLAY, "Unheard");
            awaitPayloads(context, "1");
            assertThat(endpoint.outboxes().outboxes().get("outbox").dead()).isZero();
        });
    }

    @Test
    void hasAGaugeOfDeadEvents() {
        runner.run(context -> {
            write(context, "Unheard", "1");
            OutboxEndpoint endpoint = context.getBean(OutboxEndpoint.class);
            await().untilAsserted(() -> assertThat(
                            endpoint.outboxes().outboxes().get("outbox").dead())
                    .isEqualTo(1));
            assertThat(context.getBean(MeterRegistry.class)
                            .get("outbox.events.dead")
                            .gauge()
                            .value())
                    .isEqualTo(1);
        });
    }

    @Test
    void leavesAWriterOnlyOutboxAsItIs() {
        runner.withPropertyValues("outbox.mode=writer-only").run(context -> {
            context.getBean(OutboxEndpoint.class).changeAll(OutboxEndpoint.Action.PAUSE);
            assertThat(context.getBean(Outbox.class).state()).isEqualTo(State.WRITER_ONLY);
            assertThat(context.getBean(MeterRegistry.class)
                            .find("outbox.events.dead")
                            .gauge())
                    .as("left to who delivers")
                    .isNull();
        });
    }

    @Test
    void hasNoEndpointWhereItIsNotExposed() {
        TestApplication.runner(Deliveries.class)
                .withPropertyValues("management.endpoints.web.exposure.include=health")
                .run(context -> assertThat(context).doesNotHaveBean(OutboxEndpoint.class));
    }

    @Test
    void countsDeliveries() {
        runner.withPropertyValues("outbox.metrics.name-prefix=shop.events").run(context -> {
            write(context, "Placed", "1");
            awaitPayloads(context, "1");
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            await().untilAsserted(() -> assertThat(
                            meters.get("shop.events.dispatch.success").counter().count())
                    .isEqualTo(1));
            assertThat(meters.get("shop.events.listener.duration").timer().count())
                    .isEqualTo(1);
        });
    }

    @Test
    void countsNothingWhereTheApplicationDoesNotWantIt() {
        runner.withPropertyValues("outbox.metrics.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MetricsExporter.class));
    }
}
