package io.outbox.spring.boot.internal.jdbc;

import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.spi.OwnershipStore;
import io.outbox.spring.boot.internal.settings.DeadLetterSettings;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import java.util.Optional;
import javax.sql.DataSource;

/** Puts dead letters around the store of an outbox table, where the settings ask for them, and sees to their tables. */
final class DeadLetterTables {

    private DeadLetterTables() {}

    /** Returns the store to deliver from. */
    public static OwnershipStore around(
            AbstractJdbcOutboxStore store,
            DataSource dataSource,
            OutboxSettings settings,
            Optional<DeadLetterSettings> deadLetters) {
        if (deadLetters.isEmpty()) {
            return store;
        }
        DeadLetterStore letters = letters(store, deadLetters.get());
        DeadLetterSchema schema = DeadLetterSchema.of(dataSource, letters);
        if (SchemaInitializer.creates(settings.table().initialize(), dataSource)) {
            schema.createIfMissing();
            if (settings.delivery().ordersByKey()) {
                schema.createKeyedIfMissing();
            }
        }
        schema.validate();
        return letters;
    }

    private static DeadLetterStore letters(AbstractJdbcOutboxStore store, DeadLetterSettings settings) {
        DeadLetterStore letters = settings.tableName() == null
                ? DeadLetterStore.of(store)
                : DeadLetterStore.of(store, settings.tableName());
        return settings.atDeath() ? letters : letters.movingOnSchedule();
    }
}
