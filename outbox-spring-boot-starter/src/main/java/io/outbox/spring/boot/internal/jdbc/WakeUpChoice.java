package io.outbox.spring.boot.internal.jdbc;

import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.WakeUp;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.OutboxProperties.WakeUp.Hints;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadata;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

/** Chooses whether an outbox in a database tells other processes of events, and hears of theirs. */
final class WakeUpChoice {

    private static final System.Logger LOG = System.getLogger("io.outbox.spring");
    private static final String KEY = "outbox.wake-up.mode";
    private static final int CONNECTIONS_NEEDED = 2;

    private final DataSource dataSource;
    private final OutboxProperties.WakeUp settings;
    private final Mode mode;

    WakeUpChoice(DataSource dataSource, OutboxProperties properties, Mode mode) {
        this.dataSource = dataSource;
        this.settings = properties.getWakeUp();
        this.mode = mode;
    }

    WakeUp choose(OutboxStore store, Stream<DataSourcePoolMetadataProvider> pools) {
        if (settings.getMode() == Hints.OFF || settings.getMode() == Hints.AUTO && !hasOthers()) {
            return WakeUp.NONE;
        }
        WakeUp wakeUp =
                store instanceof AbstractJdbcOutboxStore ours ? ours.wakeUp(dataSource, listenOn()) : WakeUp.NONE;
        if (wakeUp == WakeUp.NONE) {
            refuse("this database has no hints", "Use PostgreSQL");
        } else if (isTooSmall(pools)) {
            refuse("the pool has fewer than two connections, and hints keep one of them", "Enlarge the pool");
            LOG.log(
                    Level.INFO,
                    "Processes do not send hints, because the pool has fewer than two connections; polls find events");
            return WakeUp.NONE;
        }
        return wakeUp;
    }

    private boolean hasOthers() {
        return mode == Mode.MULTI_NODE || mode == Mode.WRITER_ONLY;
    }

    private void refuse(String why, String instead) {
        if (settings.getMode() == Hints.ON) {
            throw new OutboxStartupException(
                    KEY + " is on, but " + why, instead + ", or remove " + KEY + ": events are found by polling then");
        }
    }

    /** Returns where hints are heard: a connection keeps listening there, whose user is that of the application's. */
    private DataSource listenOn() {
        return settings.getListenUrl() == null
                ? dataSource
                : DataSourceBuilder.derivedFrom(dataSource)
                        .type(SimpleDriverDataSource.class)
                        .url(settings.getListenUrl())
                        .build();
    }

    /**
     * Returns whether a node that hears hints would leave no connection of the pool for the rest; one that only writes
     * hears none.
     */
    private boolean isTooSmall(Stream<DataSourcePoolMetadataProvider> pools) {
        if (mode == Mode.WRITER_ONLY || settings.getListenUrl() != null) {
            return false;
        }
        return pools.map(pool -> pool.getDataSourcePoolMetadata(dataSource))
                .filter(Objects::nonNull)
                .map(DataSourcePoolMetadata::getMax)
                .anyMatch(max -> max != null && max > 0 && max < CONNECTIONS_NEEDED);
    }
}
