package io.outbox.spring.boot.internal.jdbc;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.Objects;
import javax.sql.DataSource;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Creates the outbox table and its index for lanes where the settings say so, and checks the table in any case. Of an
 * index that is missing the store tells, once it is needed.
 */
public final class SchemaInitializer implements InitializingBean {

    private final DataSource dataSource;
    private final String tableName;
    private final DatabaseInitializationMode mode;
    private final boolean lanes;
    private final boolean keyed;

    /**
     * Creates the initializer.
     *
     * @param lanes whether event types have lanes of their own, which find their events by an index
     * @param keyed whether events of one key keep their order, by columns and indexes of their own
     */
    public SchemaInitializer(DataSource dataSource, OutboxSettings.Table table, boolean lanes, boolean keyed) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.tableName = table.name();
        this.mode = table.initialize();
        this.lanes = lanes;
        this.keyed = keyed;
    }

    @Override
    public void afterPropertiesSet() {
        OutboxSchema schema = OutboxSchema.of(dataSource, tableName);
        boolean creates = creates(mode, dataSource);
        if (creates) {
            schema.createIfMissing();
        }
        schema.validate();
        if (lanes && creates) {
            schema.createLaneIndexIfMissing();
        }
        if (keyed && creates) {
            schema.createKeyedIfMissing();
        }
    }

    /** Returns whether tables are created in the database. */
    public static boolean creates(DatabaseInitializationMode mode, DataSource dataSource) {
        return mode == DatabaseInitializationMode.ALWAYS
                || (mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
    }
}
