package io.outbox.spring.boot.internal.jdbc;

import io.outbox.Outbox;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.SpringConnectionProvider;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxFactory;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.internal.delivery.ListenerRegistries;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Monitoring;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import io.outbox.store.StoreBackend;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import javax.sql.DataSource;
import org.springframework.beans.factory.DisposableBean;

/** Builds each outbox on its DataSource, with a registry and meters of its own. */
final class OutboxesOnDataSources implements OutboxFactory, DisposableBean {

    private final OutboxAssembler assembler;
    private final OutboxSettings settings;
    private final BiFunction<String, String, MetricsExporter> metrics;
    private final ListenerRegistries registries;
    private final Map<String, Outbox> created = new LinkedHashMap<>();
    private final List<SpringTxContext> txContexts = new ArrayList<>();
    private final List<AutoCloseable> exporters = new ArrayList<>();

    OutboxesOnDataSources(
            OutboxAssembler assembler,
            OutboxSettings settings,
            ListenerRegistries registries,
            BiFunction<String, String, MetricsExporter> metrics) {
        this.registries = registries;
        this.assembler = assembler;
        this.settings = settings;
        this.metrics = metrics;
    }

    @Override
    public Outbox create(String name, DataSource dataSource) {
        return create(name, dataSource, settings);
    }

    @Override
    public Outbox create(String name, DataSource dataSource, OutboxProperties properties) {
        if (!properties.getListeners().isEmpty()
                || !properties.getSubscriptions().isEmpty()
                || !properties.isAutoStartup()) {
            throw new IllegalArgumentException("listeners, subscriptions and auto-startup are settings of the"
                    + " application and not of outbox '" + name + "': set outbox.listeners, outbox.subscriptions and"
                    + " outbox.auto-startup");
        }
        return create(name, dataSource, SettingsDecision.of(properties));
    }

    private synchronized Outbox create(String name, DataSource dataSource, OutboxSettings settings) {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(dataSource, "dataSource");
        if (name.isBlank()) {
            throw new IllegalArgumentException("name must not be blank");
        }
        DefaultListenerRegistry registry = registries.add(name);
        new SchemaInitializer(
                        dataSource,
                        settings.table(),
                        assembler.hasLanes(),
                        settings.delivery().ordersByKey())
                .afterPropertiesSet();
        AbstractJdbcOutboxStore store =
                JdbcOutboxStores.detect(dataSource).withTable(settings.table().name());
        SpringTxContext txContext = new SpringTxContext(dataSource);
        txContexts.add(txContext);
        OutboxBackend backend = StoreBackend.of(
                new SpringConnectionProvider(dataSource),
                txContext,
                DeadLetterTables.around(store, dataSource, settings, assembler.deadLetters()),
                settings.mode().purgerFor(store));
        Outbox outbox = assembler.assemble(name, settings, backend, registry, exporter(name, settings.monitoring()));
        created.put(name, outbox);
        return outbox;
    }

    private MetricsExporter exporter(String name, Monitoring monitoring) {
        if (!monitoring.meters()) {
            return MetricsExporter.NOOP;
        }
        MetricsExporter exporter = metrics.apply(monitoring.meterPrefix(), name);
        if (exporter instanceof AutoCloseable closeable) {
            exporters.add(closeable);
        }
        return exporter;
    }

    @Override
    public synchronized Outbox get(String name) {
        Outbox outbox = created.get(name);
        if (outbox == null) {
            throw new IllegalStateException(
                    "No outbox was created with the name '" + name + "', only " + created.keySet());
        }
        return outbox;
    }

    @Override
    public synchronized Set<String> names() {
        return Set.copyOf(registries.byOutbox().keySet());
    }

    @Override
    public synchronized List<SpringTxContext> txContexts() {
        return List.copyOf(txContexts);
    }

    /** Removes the meters of the outboxes. */
    @Override
    public synchronized void destroy() throws Exception {
        for (AutoCloseable exporter : exporters) {
            exporter.close();
        }
        exporters.clear();
    }
}
