package io.outbox.spring.boot.internal.jdbc;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.WakeUp;
import io.outbox.spring.SpringConnectionProvider;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxDataSource;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.store.StoreBackend;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/**
 * The JDBC engine, part by part. Lazy, so that an application that builds its outboxes otherwise has no table where it
 * wants none.
 */
@Import(JdbcEngineConfiguration.Parts.class)
public class JdbcEngineConfiguration {

    /** Its outboxes check their tables, which may come from the application's migrations. */
    @Bean
    @ConditionalOnMissingBean
    @DependsOnDatabaseInitialization
    OutboxFactory outboxFactory(
            OutboxAssembler assembler,
            OutboxSettings settings,
            ListenerRegistries registries,
            ObjectProvider<BiFunction<String, String, MetricsExporter>> metrics) {
        return new OutboxesOnDataSources(
                assembler,
                settings,
                registries,
                metrics.getIfAvailable(() -> (prefix, outbox) -> MetricsExporter.NOOP));
    }

    @Bean
    @Conditional(OnOutbox.class)
    DataSourceChoice outboxDataSourceChoice(ListableBeanFactory beans, OutboxFactory outboxes) {
        return new DataSourceChoice(beans, outboxes);
    }

    @Bean
    TransactionListening outboxTransactionListening(ListableBeanFactory beans, OutboxFactory outboxes) {
        return new TransactionListening(beans, outboxes);
    }

    /** Mistakes show at start-up, and transactions are listened to from the first one on. */
    @Bean
    static LazyInitializationExcludeFilter outboxJdbcEngineIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(DataSourceChoice.class, TransactionListening.class);
    }

    @Conditional({OnOutbox.class, OneDataSource.class})
    @ConditionalOnMissingBean(OutboxBackend.class)
    static class Parts {

        private final DataSource dataSource;

        Parts(ObjectProvider<DataSource> dataSources, @OutboxDataSource ObjectProvider<DataSource> chosen) {
            this.dataSource = chosen.getIfAvailable(dataSources::getObject);
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        @DependsOnDatabaseInitialization
        SchemaInitializer outboxSchemaInitializer(OutboxSettings settings, OutboxAssembler assembler) {
            return new SchemaInitializer(
                    dataSource,
                    settings.table(),
                    assembler.hasLanes(),
                    settings.delivery().ordersByKey());
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean(OutboxStore.class)
        AbstractJdbcOutboxStore outboxStore(OutboxSettings settings, SchemaInitializer schemaFirst) {
            return JdbcOutboxStores.detect(dataSource)
                    .withTable(settings.table().name());
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        ConnectionProvider outboxConnectionProvider() {
            return new SpringConnectionProvider(dataSource);
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean(TxContext.class)
        SpringTxContext outboxTxContext() {
            return new SpringTxContext(dataSource);
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        WakeUp outboxWakeUp(
                OutboxStore store,
                OutboxProperties properties,
                OutboxSettings settings,
                ObjectProvider<DataSourcePoolMetadataProvider> pools) {
            return new WakeUpChoice(dataSource, properties, settings.mode()).choose(store, pools.orderedStream());
        }

        @Bean
        @Lazy
        OutboxBackend outboxBackend(
                ConnectionProvider connectionProvider,
                TxContext txContext,
                OutboxStore store,
                ObjectProvider<EventPurger> purger,
                OutboxSettings settings,
                OutboxAssembler assembler,
                ObjectProvider<SchemaInitializer> schema) {
            if (!(store instanceof AbstractJdbcOutboxStore ours)) {
                return StoreBackend.of(connectionProvider, txContext, store, purger.getIfAvailable());
            }
            schema.getObject();
            return StoreBackend.of(
                    connectionProvider,
                    txContext,
                    DeadLetterTables.around(ours, dataSource, settings, assembler.deadLetters()),
                    purger.getIfAvailable(() -> settings.mode().purgerFor(ours)));
        }
    }

    /** Met if it is clear which DataSource the outbox is in. */
    static class OneDataSource extends AnyNestedCondition {

        OneDataSource() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnSingleCandidate(DataSource.class)
        static class TheOnlyOrPrimary {}

        @ConditionalOnBean(value = DataSource.class, annotation = OutboxDataSource.class)
        static class Marked {}
    }
}
