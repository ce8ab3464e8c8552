package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxPublisher;
import io.outbox.OutboxWriter;
import io.outbox.inbox.OutboxIdempotentConsumer;
import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.json.OutboxJsonAutoConfiguration;
import io.outbox.spring.boot.publishing.OutboxPublisherAutoConfiguration;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** What is wrong, and what to do about it, where an application does not start. */
class FailureAnalysisTest {

    private static final String WITHOUT_DATA_SOURCE = "--spring.autoconfigure.exclude="
            + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
            + "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration";

    @TempDir
    private Path directory;

    private String url() {
        return "jdbc:h2:file:" + directory.resolve("shop");
    }

    private String onDisk() {
        return "--spring.datasource.username=sa --spring.datasource.url=" + url();
    }

    @Test
    void aMissingTableNamesThePropertyAndTheScriptThatCreateIt() {
        FailureAnalysis analysis = FailedStart.of(onDisk(), Deliveries.class);

        assertThat(analysis.getDescription())
                .contains("The outbox table outbox_event cannot be used: it does not exist")
                .contains("schema/h2.sql in the outbox-jdbc jar");
        assertThat(analysis.getAction())
                .contains("outbox.schema.initialize=always")
                .contains("outbox.table-name");
    }

    @Test
    void aWrongTableSaysWhatIsWrong() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url(), "sa", "");
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE outbox_event (event_id VARCHAR(36) PRIMARY KEY)");
        }

        FailureAnalysis analysis = FailedStart.of(onDisk(), Deliveries.class);

        assertThat(analysis.getDescription())
                .contains("outbox_event cannot be used")
                .contains("payload");
        assertThat(analysis.getAction()).contains("never changes an existing table");
    }

    @Test
    void aDatabaseThatIsDownIsNamedWithoutItsPassword() {
        FailureAnalysis analysis = FailedStart.of(
                "--spring.datasource.url=jdbc:h2:tcp://127.0.0.1:1/shop;PASSWORD=s3cret", Deliveries.class);

        assertThat(analysis.getDescription())
                .startsWith("The outbox cannot connect to its database: ")
                .contains("127.0.0.1:1")
                .doesNotContain("s3cret");
        assertThat(analysis.getAction()).contains("spring.datasource.url");
    }

    @Configuration(proxyBeanMethods = false)
    static class Writing {
        Writing(OutboxWriter writer) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Publishing {
        Publishing(OutboxPublisher publisher) {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Encoding {
        Encoding(JsonCodec codec) {}
    }

    @Test
    void aMissingWriterIsExplainedByTheSwitchThatIsOff() {
        FailureAnalysis analysis = FailedStart.of("--outbox.enabled=false", Writing.class);

        assertThat(analysis.getDescription())
                .contains("Parameter 0 of constructor")
                .contains(OutboxWriter.class.getName())
                .contains("outbox.enabled is false");
        assertThat(analysis.getAction()).contains("Set outbox.enabled=true");
    }

    @Test
    void aMissingWriterIsExplainedByTheMissingDataSource() {
        FailureAnalysis analysis = FailedStart.of(WITHOUT_DATA_SOURCE, Writing.class);

        assertThat(analysis.getDescription()).contains("there is no DataSource");
        assertThat(analysis.getAction()).contains("spring.datasource.url");
    }

    @Test
    void aMissingWriterIsExplainedBySeveralDataSources() {
        FailureAnalysis analysis = FailedStart.of("", SeveralDataSourcesTest.TwoDataSources.class, Writing.class);

        assertThat(analysis.getDescription()).contains("several DataSources, [orders, billing]");
        assertThat(analysis.getAction())
                .contains("@OutboxDataSource", "@Primary", "OutboxFactory", "outbox.enabled=false");
    }

    @Test
    void aMissingWriterIsExplainedBySeveralOutboxes() {
        FailureAnalysis analysis = FailedStart.of(
                "",
                SeveralDataSourcesTest.TwoDataSources.class,
                SeveralDataSourcesTest.TwoOutboxes.class,
                Writing.class);

        assertThat(analysis.getDescription()).contains("several outboxes, [orderOutbox, billingOutbox]");
        assertThat(analysis.getAction()).contains("@Qualifier(\"orderOutbox\")");
    }

    @Test
    void aMissingWriterIsExplainedByAutoConfigurationThatIsNotInUse() {
        FailureAnalysis analysis = FailedStart.of(
                "--spring.autoconfigure.exclude=" + OutboxAutoConfiguration.class.getName() + ","
                        + OutboxPublisherAutoConfiguration.class.getName(),
                Writing.class);

        assertThat(analysis.getDescription()).contains("auto-configuration of the outbox is not in use");
        assertThat(analysis.getAction()).contains("@EnableOutbox").contains("@AutoConfigureOutboxTester");
    }

    @Test
    void aMissingPublisherIsExplainedByTheSwitchThatIsOff() {
        FailureAnalysis analysis = FailedStart.of("--outbox.publisher.enabled=false", Publishing.class);

        assertThat(analysis.getDescription()).contains("outbox.publisher.enabled is false");
        assertThat(analysis.getAction()).contains("OutboxWriter");
    }

    @Test
    void aMissingCodecSaysWhatToAdd() {
        FailureAnalysis analysis = FailedStart.of(
                "--spring.autoconfigure.exclude=" + OutboxJsonAutoConfiguration.class.getName(), Encoding.class);

        assertThat(analysis.getDescription()).contains(JsonCodec.class.getName());
        assertThat(analysis.getAction()).contains("jackson-databind", "outbox-gson");
    }

    @Test
    void severalDataSourcesEndTheStartThoughNobodyAsksForTheOutbox() {
        FailureAnalysis analysis = FailedStart.of("", SeveralDataSourcesTest.TwoDataSources.class);

        assertThat(analysis.getDescription())
                .startsWith("The outbox cannot be set up: there are several DataSources, [orders, billing]");
        assertThat(analysis.getAction())
                .contains("@OutboxDataSource", "@Primary", "OutboxFactory", "outbox.enabled=false");
    }

    @Configuration(proxyBeanMethods = false)
    static class SecondListener {
        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener placedAgain() {
            return event -> DispatchResult.done();
        }
    }

    @Test
    void aListenerThatCannotBeRegisteredIsNamed() {
        FailureAnalysis analysis = FailedStart.of("", Deliveries.class, SecondListener.class);

        assertThat(analysis.getDescription())
                .containsPattern("Outbox listener 'placed(Again)?' cannot be registered")
                .contains("Placed")
                .contains("the application does not start");
        assertThat(analysis.getAction()).contains("@OutboxListener");
    }

    @Test
    void aListenerOfAnEventTypeThatGoesToABrokerIsNamed() {
        FailureAnalysis analysis = FailedStart.of(
                "--outbox.publisher.sender.type=kafka --outbox.publisher.events.[Placed].topic=orders",
                Deliveries.class);

        assertThat(analysis.getDescription()).contains("Outbox listener 'placed' is for event type 'Placed'");
        assertThat(analysis.getAction()).contains("Remove one of the two");
    }

    @Test
    void aSettingOutOfRangeIsShownWithItsOrigin() {
        FailureAnalysis analysis = FailedStart.of("--outbox.dispatcher.worker-count=0", Deliveries.class);

        assertThat(analysis.getDescription())
                .contains("outbox.dispatcher.worker-count")
                .contains("'0'")
                .contains("must be at least 1")
                .contains("commandLineArgs");
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.dispatcher.worker-count, four, a whole number",
        "outbox.poller.interval, abc, 'a time with its unit, such as 200ms'",
        "outbox.mode, sometimes, 'one of single-node, multi-node'",
        "outbox.purge.enabled, perhaps, true or false",
        "outbox.listeners.mails.backoff.multiplier, twice, a number"
    })
    void aSettingOfAnotherTypeSaysWhatItTakes(String key, String value, String wanted) {
        FailureAnalysis analysis = FailedStart.of("--" + key + "=" + value, Deliveries.class);

        assertThat(analysis.getDescription())
                .contains("Property " + key + " has the value '" + value + "'")
                .contains("commandLineArgs")
                .contains("but must be " + wanted)
                .doesNotContain("java.");
        assertThat(analysis.getAction()).contains(key);
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.listeners.mails.backoff.multiplier, 0.1, at least 1",
        "outbox.listeners.mails.batch-size, 10001, at most 10000",
        "outbox.poller.batch-size, 10001, at most 10000",
        "outbox.publisher.defaults.batch-size, 10001, at most 10000"
    })
    void aSettingOfAListenerOrABatchOutOfRangeIsNamed(String key, String value, String rule) {
        assertThat(FailedStart.of("--" + key + "=" + value, Deliveries.class).getDescription())
                .contains(key)
                .contains("'" + value + "'")
                .contains(rule);
    }

    @Test
    void moreWorkersThanAnyMachineHasThreadsForAreRefused() {
        assertThat(FailedStart.of("--outbox.dispatcher.worker-count=10001", Deliveries.class)
                        .getDescription())
                .contains("outbox.dispatcher.worker-count")
                .contains("at most 10000");
    }

    @Test
    void aSettingThatIsMissingIsShownToo() {
        FailureAnalysis analysis = FailedStart.of("--outbox.publisher.events.placed.topic=orders");

        assertThat(analysis.getDescription())
                .contains("Property outbox.publisher.sender.type, which is not set, is invalid: must be set")
                .contains("kafka or rabbit_mq");
        assertThat(analysis.getAction()).contains("outbox.publisher.sender.type");
    }

    /** Two in one database: what the second is for is the application's business. */
    @Configuration(proxyBeanMethods = false)
    static class FactoryInUse {
        FactoryInUse(OutboxFactory outboxes, @Qualifier("orders") DataSource orders) {
            outboxes.create("orders-" + UUID.randomUUID(), orders);
        }
    }

    @Test
    void severalDataSourcesAreFineWithAnOutboxOfTheFactoryOrWithoutAny() {
        TestApplication.runner(SeveralDataSourcesTest.TwoDataSources.class, FactoryInUse.class)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
        TestApplication.runner(SeveralDataSourcesTest.TwoDataSources.class)
                .withPropertyValues("outbox.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(Outbox.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class Consuming {
        @Bean
        Object bills(OutboxIdempotentConsumer consumer) {
            return consumer.toString();
        }
    }

    @Test
    void aMissingConsumerNamesTheSettingThatTurnsItOn() {
        FailureAnalysis analysis = FailedStart.of("", Consuming.class);
        assertThat(analysis.getDescription()).contains("outbox.consumer.enabled is not set");
        assertThat(analysis.getAction()).contains("outbox.consumer.enabled=true");
    }

    @Test
    void aWriterOfAnApplicationThatOnlyConsumesNamesTheMode() {
        FailureAnalysis analysis =
                FailedStart.of("--outbox.consumer.enabled=true --outbox.publisher.enabled=false", Writing.class);
        assertThat(analysis.getDescription()).contains("there is only a consumer");
        assertThat(analysis.getAction()).contains("outbox.mode");
    }

    @Test
    void aMissingTableOfConsumedEventsNamesTheWaysToCreateIt() {
        FailureAnalysis analysis = FailedStart.of(onDisk()
                + " --outbox.consumer.enabled=true --outbox.publisher.enabled=false --outbox.tables.auto-create=false");
        assertThat(analysis.getDescription()).contains("outbox_consumed_event cannot be used: it does not exist");
        assertThat(analysis.getAction()).contains("outbox.tables.auto-create=true", "schema/flyway-inbox/{vendor}");
    }

    @Test
    void anUnknownCacheOfConsumedEventsNamesTheKey() {
        FailureAnalysis analysis =
                FailedStart.of("--outbox.consumer.enabled=true --outbox.consumer.cache.cache-name=consumed");
        assertThat(analysis.getDescription()).contains("outbox.consumer.cache.cache-name", "CacheManager");
    }

    @Configuration(proxyBeanMethods = false)
    static class Receiving {
        @OutboxListener(eventType = "Placed")
        void on(String payload) {}
    }

    @Test
    void listenersWithoutADataSourceAreNamed() {
        FailureAnalysis analysis = FailedStart.of(WITHOUT_DATA_SOURCE, Receiving.class);

        assertThat(analysis.getDescription())
                .contains("no DataSource")
                .contains("failureAnalysisTest.Receiving.on")
                .contains("never be called");
        assertThat(analysis.getAction())
                .contains("spring.datasource.url")
                .contains("R2DBC")
                .contains("outbox.enabled=false");
    }
}
