package io.outbox.spring.boot;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import java.util.Objects;
import javax.sql.DataSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.jdbc.EmbeddedDatabaseConnection;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/** Creates the outbox table and its index for lanes where the settings say so, and checks them in any case. */
public final class OutboxSchemaInitializer implements InitializingBean {

    private static final Log LOG = LogFactory.getLog(OutboxSchemaInitializer.class);

    private final DataSource dataSource;
    private final String tableName;
    private final DatabaseInitializationMode mode;
    private boolean lanes;

    public OutboxSchemaInitializer(DataSource dataSource, OutboxProperties properties) {
        this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        this.tableName = properties.getTableName();
        this.mode = properties.getSchema().getInitialize();
    }

    /** Whether event types have lanes of their own, which find their events by an index. */
    OutboxSchemaInitializer lanes(boolean lanes) {
        this.lanes = lanes;
        return this;
    }

    @Override
    public void afterPropertiesSet() {
        OutboxSchema schema = OutboxSchema.of(dataSource, tableName);
        boolean creates = mode == DatabaseInitializationMode.ALWAYS
                || (mode == DatabaseInitializationMode.EMBEDDED && EmbeddedDatabaseConnection.isEmbedded(dataSource));
        if (creates) {
            schema.createIfMissing();
        }
        schema.validate();
        if (lanes && creates) {
            schema.createLaneIndexIfMissing();
        } else if (lanes && !schema.hasLaneIndex()) {
            LOG.warn("The outbox table " + tableName + " has no index by event type, so finding the events of"
                    + " outbox.publisher.events takes longer the more events wait; create it from schema/"
                    + JdbcOutboxStores.detect(dataSource).name() + "-lanes.sql in the outbox-jdbc jar");
        }
    }
}
