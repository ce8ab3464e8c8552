package io.outbox.spring.boot;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxBackend;
import io.outbox.spring.SpringConnectionProvider;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.internal.delivery.OutboxAssembler;
import io.outbox.spring.boot.internal.jdbc.DeadLetterTables;
import io.outbox.spring.boot.internal.jdbc.SchemaInitializer;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings.Monitoring;
import io.outbox.spring.boot.internal.settings.SettingsDecision;
import io.outbox.store.StoreBackend;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.springframework.beans.factory.DisposableBean;

/**
 * Creates the outboxes of an application that has several DataSources: a bean method for each, which returns what
 * {@link #create(String, DataSource)} gives. Their delivery starts and stops with the application.
 *
 * <p>Listeners choose their outbox by {@link OutboxListener#outbox()}. Meters are named after the outbox:
 * {@code outbox.metrics.name-prefix}, a dot, and the name.
 */
public final class OutboxFactory implements DisposableBean {

    private final OutboxAssembler assembler;
    private final OutboxSettings settings;
    private final Function<String, MetricsExporter> metrics;
    private final Map<String, DefaultListenerRegistry> registries = new LinkedHashMap<>();
    private final Map<String, Outbox> created = new LinkedHashMap<>();
    private final List<SpringTxContext> txContexts = new ArrayList<>();
    private final List<AutoCloseable> exporters = new ArrayList<>();

    OutboxFactory(OutboxAssembler assembler, OutboxSettings settings, Function<String, MetricsExporter> metrics) {
        this.assembler = assembler;
        this.settings = settings;
        this.metrics = metrics;
    }

    /** Creates an outbox in the DataSource, with the settings of {@code outbox.*}. */
    public Outbox create(String name, DataSource dataSource) {
        return create(name, dataSource, settings);
    }

    /**
     * Creates an outbox in the DataSource, with settings of its own.
     *
     * @throws IllegalArgumentException if the properties have settings that are not those of one outbox
     * @throws IllegalStateException if there is an outbox of this name already
     */
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
        DefaultListenerRegistry registry = new DefaultListenerRegistry();
        if (registries.putIfAbsent(name, registry) != null) {
            throw new IllegalStateException("There is an outbox with the name '" + name + "' already");
        }
        new SchemaInitializer(dataSource, settings.table(), assembler.hasLanes()).afterPropertiesSet();
        AbstractJdbcOutboxStore store =
                JdbcOutboxStores.detect(dataSource).withTable(settings.table().name());
        SpringTxContext txContext = new SpringTxContext(dataSource);
        txContexts.add(txContext);
        OutboxBackend backend = StoreBackend.of(
                new SpringConnectionProvider(dataSource),
                txContext,
                DeadLetterTables.around(store, dataSource, settings.table(), assembler.deadLetters()),
                settings.mode().purgerFor(store));
        Outbox outbox = assembler.assemble(name, settings, backend, registry, exporter(name, settings.monitoring()));
        created.put(name, outbox);
        return outbox;
    }

    private MetricsExporter exporter(String name, Monitoring monitoring) {
        if (!monitoring.meters()) {
            return MetricsExporter.NOOP;
        }
        MetricsExporter exporter = metrics.apply(monitoring.meterPrefix() + "." + name);
        if (exporter instanceof AutoCloseable closeable) {
            exporters.add(closeable);
        }
        return exporter;
    }

    /**
     * Returns the outbox that was created with this name.
     *
     * @throws IllegalStateException if there is none
     */
    public synchronized Outbox get(String name) {
        Outbox outbox = created.get(name);
        if (outbox == null) {
            throw new IllegalStateException(
                    "No outbox was created with the name '" + name + "', only " + created.keySet());
        }
        return outbox;
    }

    /** Returns the names of the outboxes that were created. */
    public synchronized Set<String> names() {
        return Set.copyOf(registries.keySet());
    }

    /** Returns where the listeners of each outbox are registered. */
    synchronized Map<String, DefaultListenerRegistry> registries() {
        return Collections.unmodifiableMap(new LinkedHashMap<>(registries));
    }

    /** Returns the listener that some outbox of this factory has for the route, or {@code null}. */
    synchronized EventListener listenerFor(String aggregateType, String eventType) {
        for (DefaultListenerRegistry registry : registries.values()) {
            EventListener listener = registry.listenerFor(aggregateType, eventType);
            if (listener != null) {
                return listener;
            }
        }
        return null;
    }

    /** Returns how the outboxes take part in transactions. */
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
