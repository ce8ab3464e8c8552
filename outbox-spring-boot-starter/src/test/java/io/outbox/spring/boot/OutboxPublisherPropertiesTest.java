package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.OutboxRoute;
import io.outbox.OutboxRouter;
import io.outbox.dead.DeadLetterPolicy;
import io.outbox.kafka.KafkaEventPublisher;
import io.outbox.model.EventStatus;
import io.outbox.rabbitmq.RabbitEventPublisher;
import io.outbox.spi.Lease;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.internal.settings.FeatureSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.JdbcTemplate;

/** The publisher's settings: what they mean, and what is refused. Nothing here needs a broker. */
class OutboxPublisherPropertiesTest {

    /** An application that publishes to a Kafka that is not there. */
    private final ApplicationContextRunner runner = PlainApplication.runner()
            .withPropertyValues("outbox.publisher.sender.type=kafka", "outbox.publisher.events.placed.topic=orders");

    private static void assertRefused(ApplicationContextRunner application, String... words) {
        application.run(context -> {
            assertThat(context).hasFailed();
            assertThat(causes(context.getStartupFailure())).contains(words);
        });
    }

    private static String causes(Throwable failure) {
        StringBuilder messages = new StringBuilder();
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            messages.append(cause.getMessage()).append('\n');
            if (cause instanceof InvalidConfigurationPropertyValueException invalid) {
                messages.append(invalid.getName()).append('\n').append(invalid.getReason());
            }
        }
        return messages.toString();
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.publisher.sender.bean-name,nobody",
        "outbox.publisher.sender.bean-name,dataSource",
        "outbox.publisher.senders.far.emergency-timeout,0s",
        "outbox.publisher.senders.far.type,pigeon",
        "outbox.publisher.senders.far.typ,kafka",
        "outbox.publisher.events.placed.sender,nobody",
        "outbox.publisher.events.placed.topic,'orders-#{headers['",
        "outbox.publisher.events.placed.key,'#{'",
        "outbox.publisher.events.placed.partition,-1",
        "outbox.publisher.events.placed.timestamp,yesterday",
        "outbox.publisher.events.placed.headers[outbox_event_id],forged",
        "outbox.publisher.events.placed.routing-key,orders",
        "outbox.publisher.events.placed.message.priority,3",
        "outbox.publisher.events.placed.message.expiration,1m",
        "outbox.publisher.defaults.topic,''",
        "outbox.publisher.headers.event-ids,x-id",
        "outbox.publisher.headers.event-id,outbox_event_type",
        "outbox.publisher.defaults.backoff.multiplier,NaN",
        "outbox.publisher.events.placed.topic,''",
        "outbox.publisher.events.placed.topic,no topic",
        "outbox.publisher.events.other.batch-size,10",
        "outbox.publisher.events.placed.batch-size,0",
        "outbox.publisher.events.placed.initial-delay,-1s",
        "outbox.publisher.events.placed.fixed-delay,0s",
        "outbox.publisher.events.placed.max-retries,-1",
        "outbox.publisher.events.placed.concurrency,0",
        "outbox.publisher.events.placed.rate-limit,0",
        "outbox.publisher.events.placed.backoff.delay,0s",
        "outbox.publisher.events.placed.backoff.multiplier,0",
        "outbox.publisher.metrics.gauge.cache.ttls,'60s,60s'",
        "outbox.publisher.metrics.gauge.cache.ttls,'60s,60s,-1s'",
        // keys that do not exist
        "outbox.publisher.sender.typ,kafka",
        "outbox.publisher.cleaning.enabled,true",
        "outbox.publisher.defaults.backoff.factor,2",
        "outbox.publisher.events.placed.tpoic,orders",
        "outbox.publisher.dlq.enable,true",
        "outbox.publisher.dlq.metrics.gauge.cache.ttls,'60s'"
    })
    void refusesToStartWithABadValueAndNamesTheKey(String key, String value) {
        String named = key.startsWith("outbox.publisher.events.other")
                ? "outbox.publisher.events.other.topic"
                : key.startsWith("outbox.publisher.headers") ? "outbox.publisher.headers" : key;
        assertRefused(runner.withPropertyValues(key + "=" + value), named);
    }

    @Test
    void needsASenderForEvents() {
        assertRefused(
                PlainApplication.runner().withPropertyValues("outbox.publisher.events.placed.topic=orders"),
                "outbox.publisher.sender.type",
                "kafka or rabbit_mq");
        assertRefused(
                runner.withClassLoader(new FilteredClassLoader(KafkaEventPublisher.class)),
                "outbox.publisher.sender.type",
                "io.outbox:outbox-kafka");
        assertRefused(
                runner.withPropertyValues("outbox.publisher.sender.type=rabbit_mq")
                        .withClassLoader(new FilteredClassLoader(RabbitEventPublisher.class)),
                "outbox.publisher.sender.type",
                "io.outbox:outbox-rabbitmq");
    }

    @Test
    void aNamedSenderIsForTypesThatNameItAndAnswersForItsOwnSettings() {
        ApplicationContextRunner application = runner.withPropertyValues("outbox.publisher.senders.far.type=kafka");
        assertRefused(application, "outbox.publisher.senders.far", "no event type names it");
        ApplicationContextRunner used = application.withPropertyValues("outbox.publisher.events.placed.sender=far");
        assertRefused(used, "outbox.publisher.sender.type", "every event type names another sender");
        ApplicationContextRunner both = used.withPropertyValues("outbox.publisher.events.paid.topic=payments");
        both.run(context -> assertThat(context).hasNotFailed());
        assertRefused(
                both.withPropertyValues("outbox.publisher.senders.far.bean-name=nobody"),
                "outbox.publisher.senders.far.bean-name");
        assertRefused(
                both.withPropertyValues("outbox.publisher.senders.far.emergency-timeout=5m"),
                "outbox.publisher.senders.far.emergency-timeout",
                "must be less than");
        assertRefused(
                runner.withPropertyValues("outbox.publisher.senders.far.emergency-timeout=5s"),
                "outbox.publisher.senders.far.type",
                "kafka or rabbit_mq");
    }

    @Test
    void refusesWhatTheOtherBrokerHas() {
        ApplicationContextRunner rabbit = PlainApplication.runner()
                .withPropertyValues(
                        "outbox.publisher.sender.type=rabbit_mq", "outbox.publisher.events.placed.topic=orders");
        assertRefused(
                rabbit.withPropertyValues("outbox.publisher.events.placed.key=k"),
                "outbox.publisher.events.placed.key",
                "routing-key");
        assertRefused(
                rabbit.withPropertyValues("outbox.publisher.events.placed.partition=1"),
                "outbox.publisher.events.placed.partition");
        assertRefused(
                rabbit.withPropertyValues("outbox.publisher.events.placed.message.priority=256"),
                "outbox.publisher.events.placed.message.priority",
                "between 0 and 255");
        assertRefused(
                rabbit.withPropertyValues("outbox.publisher.events.placed.message.type= "),
                "outbox.publisher.events.placed.message.type");
    }

    @Test
    void refusesAHeaderThatWouldStandInForOneOfTheOutbox() {
        assertRefused(
                runner.withPropertyValues(
                        "outbox.publisher.headers.event-id=x-id",
                        "outbox.publisher.events.placed.headers[x-id]=forged"),
                "outbox.publisher.events.placed.headers.x-id",
                "outbox.publisher.headers");
    }

    @Test
    void needsATopicUnlessThereIsADefaultOrARouter() {
        ApplicationContextRunner application = PlainApplication.runner()
                .withPropertyValues(
                        "outbox.publisher.sender.type=kafka", "outbox.publisher.events.placed.batch-size=10");
        assertRefused(application, "outbox.publisher.events.placed.topic", "OutboxRouter");
        application
                .withPropertyValues("outbox.publisher.defaults.topic=orders")
                .run(context -> assertThat(context).hasNotFailed());
        application
                .withBean(OutboxRouter.class, () -> event -> OutboxRoute.to("orders"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void needsEventsForASender() {
        assertRefused(
                PlainApplication.runner().withPropertyValues("outbox.publisher.sender.type=kafka"),
                "outbox.publisher.events",
                "outbox.publisher.sender.*");
        assertRefused(
                PlainApplication.runner().withPropertyValues("outbox.publisher.defaults.batch-size=10"),
                "outbox.publisher.events",
                "outbox.publisher.defaults.*");
    }

    @Test
    void needsAModeThatDeliversEventTypesApart() {
        assertRefused(runner.withPropertyValues("outbox.mode=ordered"), "outbox.publisher.events", "in ordered mode");
        assertRefused(
                runner.withPropertyValues("outbox.mode=writer-only"), "outbox.publisher.events", "in writer-only mode");
    }

    @Test
    void needsTimeoutsThatFitTogether() {
        assertRefused(
                runner.withPropertyValues("outbox.publisher.stuck-recovery.max-batch-processing-time=120s"),
                "outbox.publisher.sender.emergency-timeout",
                "outbox.publisher.stuck-recovery.max-batch-processing-time");
    }

    @Test
    void refusesBackoffSettingsWithoutBackoff() {
        assertRefused(
                runner.withPropertyValues(
                        "outbox.publisher.events.placed.backoff.enabled=false",
                        "outbox.publisher.events.placed.backoff.delay=1s"),
                "outbox.publisher.events.placed.backoff.delay");
    }

    @Test
    void refusesBackoffSettingsWhereTheDefaultIsNoBackoff() {
        ApplicationContextRunner application = runner.withPropertyValues(
                "outbox.publisher.defaults.backoff.enabled=false", "outbox.publisher.events.placed.backoff.delay=5s");
        assertRefused(
                application,
                "outbox.publisher.defaults.backoff.enabled",
                "set outbox.publisher.events.placed.backoff.enabled=true");
        application
                .withPropertyValues("outbox.publisher.events.placed.backoff.enabled=true")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void refusesAnEventTypeThatIsTooLong() {
        String type = "a".repeat(129);
        assertRefused(
                runner.withPropertyValues("outbox.publisher.events." + type + ".topic=orders"),
                "outbox.publisher.events",
                type,
                "is not a valid event type",
                "128");
    }

    @Test
    void refusesAListenerForAnEventTypeOfTheBroker() {
        assertRefused(
                PlainApplication.runner(Deliveries.class)
                        .withPropertyValues(
                                "outbox.publisher.sender.type=kafka", "outbox.publisher.events.Placed.topic=orders"),
                "'placed'",
                "outbox.publisher.events[Placed].topic");
    }

    @Test
    void refusesGaugesWithoutAMeterRegistry() {
        String gauges = "outbox.publisher.metrics.gauge.enabled";
        assertRefused(runner.withPropertyValues(gauges + "=true"), gauges, "MeterRegistry");
        assertRefused(
                runner.withPropertyValues(gauges + "=true", "outbox.metrics.enabled=false"),
                gauges,
                "outbox.metrics.enabled");
    }

    @Test
    void takesEitherOfTwoKeysForOneSetting() {
        runner.withPropertyValues(
                        "outbox.dispatcher.worker-count=7",
                        "outbox.tables.auto-create=true",
                        "outbox.schema.initialize=always",
                        "outbox.purge.retention=3h",
                        "outbox.publisher.clean-up.batch-size=10",
                        "outbox.publisher.clean-up.fixed-delay=2m")
                .run(context -> {
                    OutboxSettings settings = context.getBean(OutboxSettings.class);
                    assertThat(settings.delivery().workers().count()).isEqualTo(7);
                    assertThat(settings.purge().orElseThrow().retention()).isEqualTo(Duration.ofHours(3));
                    assertThat(settings.purge().orElseThrow().batchSize()).isEqualTo(10);
                    assertThat(settings.purge().orElseThrow().interval()).isEqualTo(Duration.ofMinutes(2));
                });
    }

    @Test
    void hasDefaultsOfItsOwnOnceAPublisherIsConfigured() {
        runner.run(context -> {
            OutboxSettings settings = context.getBean(OutboxSettings.class);
            assertThat(settings.delivery().workers().count())
                    .isEqualTo(Math.min(Runtime.getRuntime().availableProcessors(), 5));
            assertThat(settings.table().initialize()).isEqualTo(DatabaseInitializationMode.ALWAYS);
            assertThat(settings.purge().orElseThrow().retention()).isEqualTo(Duration.ofHours(1));
            assertThat(settings.purge().orElseThrow().batchSize()).isEqualTo(100);
            assertThat(settings.purge().orElseThrow().interval()).isEqualTo(Duration.ofSeconds(5));
            assertThat(settings.delivery().locking().lockTimeout()).isEqualTo(Lease.DEFAULT_DURATION);
        });
    }

    @Test
    void letsSeveralInstancesDeliverTheEventsOfAPublisher() {
        runner.run(context -> {
            OutboxSettings settings = context.getBean(OutboxSettings.class);
            assertThat(settings.mode()).isEqualTo(Mode.MULTI_NODE);
        });
        runner.withPropertyValues("outbox.claim-locking.enabled=true", "outbox.claim-locking.owner-id=node-1")
                .run(context -> assertThat(context).hasNotFailed());
        PlainApplication.runner()
                .withPropertyValues("outbox.publisher.clean-up.ttl=2h")
                .run(context ->
                        assertThat(context.getBean(OutboxSettings.class).mode()).isEqualTo(Mode.SINGLE_NODE));
    }

    @Test
    void leavesTheModeToTheApplication() {
        runner.withPropertyValues("outbox.mode=single-node").run(context -> {
            OutboxSettings settings = context.getBean(OutboxSettings.class);
            assertThat(settings.mode()).isEqualTo(Mode.SINGLE_NODE);
        });
        assertRefused(
                runner.withPropertyValues("outbox.claim-locking.enabled=false"),
                "outbox.claim-locking.enabled",
                "outbox.mode to single-node");
    }

    @Test
    void takesAnEmptySettingForNone() {
        runner.withPropertyValues("outbox.mode=", "outbox.purge.retention=").run(context -> {
            OutboxSettings settings = context.getBean(OutboxSettings.class);
            assertThat(settings.mode()).isEqualTo(Mode.MULTI_NODE);
            assertThat(settings.purge().orElseThrow().retention()).isEqualTo(Duration.ofHours(1));
        });
        runner.withPropertyValues("outbox.mode=", "outbox.publisher.enabled=false")
                .run(context ->
                        assertThat(context.getBean(OutboxSettings.class).mode()).isEqualTo(Mode.WRITER_ONLY));
        assertRefused(
                PlainApplication.runner(Deliveries.class)
                        .withPropertyValues("outbox.mode=", "outbox.publisher.enabled=false"),
                "would never be called");
    }

    @Test
    void deliversNothingWhileThePublisherIsTurnedOff() {
        runner.withPropertyValues(
                        "outbox.publisher.enabled=false",
                        "outbox.poller.interval-ms=20",
                        "outbox.purge.enabled=true",
                        "outbox.purge.retention=0s",
                        "outbox.purge.interval-seconds=1")
                .run(context -> {
                    Deliveries.write(context, "OfAnotherInstance", "1");
                    await().during(Duration.ofMillis(500))
                            .untilAsserted(() -> assertThat(new JdbcTemplate(context.getBean(DataSource.class))
                                            .queryForObject(
                                                    "SELECT status FROM outbox_event WHERE attempts = 0",
                                                    Integer.class))
                                    .isEqualTo(EventStatus.NEW.code()));
                });
    }

    @Test
    void wantsToKnowWhatListenersAreForWhileThePublisherIsTurnedOff() {
        ApplicationContextRunner application =
                PlainApplication.runner(Deliveries.class).withPropertyValues("outbox.publisher.enabled=false");
        assertRefused(application, "outbox.publisher.enabled=false", "only writes", "[placed]", "outbox.mode");
        application.withPropertyValues("outbox.mode=single-node").run(context -> {
            Deliveries.write(context, "Placed", "1");
            Deliveries.awaitPayloads(context, "1");
        });
    }

    @Test
    void changesNothingForAnApplicationWithoutAPublisher() {
        PlainApplication.runner()
                .run(context -> assertThat(context.getBean(OutboxSettings.class))
                        .isEqualTo(SettingsDecision.of(new OutboxProperties())));
        PlainApplication.runner()
                .withPropertyValues("outbox.publisher.enabled=false", "outbox.publisher.clean-up.ttl=2h")
                .run(context -> assertThat(context.getBean(OutboxSettings.class).purge())
                        .isEmpty());
        PlainApplication.runner()
                .withPropertyValues("outbox.thread-pool-size=3")
                .run(context -> assertThat(context.getBean(OutboxSettings.class)
                                .delivery()
                                .workers()
                                .count())
                        .isEqualTo(3));
    }

    @Test
    void keepsEventTypesAsTheyAreWrittenInBrackets() {
        runner.withPropertyValues("outbox.publisher.events[Order_Placed.v2].topic=orders")
                .run(context -> assertThat(context.getBean(Outbox.class).lanes().keySet())
                        .containsExactlyInAnyOrder("placed", "Order_Placed.v2"));
    }

    @Test
    void awaitsAcknowledgementsAsLongAsSendersDoByThemselves() {
        assertThat(FeatureSettings.defaultsOf(OutboxPublisherProperties.class)
                        .sender()
                        .emergencyTimeout())
                .isEqualTo(KafkaEventPublisher.DEFAULT_EMERGENCY_TIMEOUT)
                .isEqualTo(RabbitEventPublisher.DEFAULT_EMERGENCY_TIMEOUT);
    }

    @Test
    void movesDeadLettersAsAQueueDoesByItself() {
        OutboxDlqProperties dlq =
                FeatureSettings.defaultsOf(OutboxPublisherProperties.class).dlq();
        assertThat(dlq.batchSize()).isEqualTo(DeadLetterPolicy.DEFAULT_BATCH_SIZE);
        assertThat(dlq.transferToInitialDelay())
                .isEqualTo(dlq.transferFromInitialDelay())
                .isEqualTo(DeadLetterPolicy.DEFAULT_INITIAL_DELAY);
        assertThat(dlq.transferToFixedDelay()).isEqualTo(DeadLetterPolicy.DEFAULT_SWEEP_DELAY);
        assertThat(dlq.transferFromFixedDelay()).isEqualTo(DeadLetterPolicy.DEFAULT_GIVE_BACK_DELAY);
    }

    @Test
    void keepsTheEventsOfDeadNodesLockedAsLongAsWithoutAPublisher() {
        assertThat(FeatureSettings.defaultsOf(OutboxPublisherProperties.class)
                        .stuckRecovery()
                        .maxBatchProcessingTime())
                .isEqualTo(Lease.DEFAULT_DURATION);
    }

    @Test
    void deadLettersAndGaugesAloneChangeNothingElse() {
        OutboxSettings plain = settingsOf(TestApplication.withoutSettings());

        OutboxSettings withDeadLetters = settingsOf(TestApplication.withoutSettings()
                .withPropertyValues(
                        "outbox.publisher.dlq.enabled=true", "outbox.publisher.metrics.gauge.enabled=true"));

        assertThat(withDeadLetters).isEqualTo(plain);
    }

    @Test
    void aSettingOfTheCleanUpAloneTurnsOnTheCleanUpAndNothingElse() {
        OutboxSettings plain = settingsOf(PlainApplication.runner());

        OutboxSettings cleaning =
                settingsOf(PlainApplication.runner().withPropertyValues("outbox.publisher.clean-up.ttl=2h"));

        assertThat(cleaning.purge()).hasValueSatisfying(purge -> {
            assertThat(purge.retention()).isEqualTo(Duration.ofHours(2));
            assertThat(purge.interval()).isEqualTo(Duration.ofSeconds(5));
            assertThat(purge.keepsDead()).isTrue();
        });
        assertThat(cleaning.delivery()).isEqualTo(plain.delivery());
        assertThat(cleaning.table()).isEqualTo(plain.table());
    }

    private static OutboxSettings settingsOf(ApplicationContextRunner application) {
        AtomicReference<OutboxSettings> settings = new AtomicReference<>();
        application.run(context -> settings.set(context.getBean(OutboxSettings.class)));
        return settings.get();
    }
}
