package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.spring.SpringTxContext;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Creates the outboxes of an application that has several DataSources: a bean method for each, which returns what
 * {@link #create(String, DataSource)} gives. Their delivery starts and stops with the application.
 *
 * <p>Listeners choose their outbox by {@link OutboxListener#outbox()}. Meters are named after the outbox:
 * {@code outbox.metrics.name-prefix}, a dot, and the name. Thread-safe.
 */
public interface OutboxFactory {

    /** Creates an outbox in the DataSource, with the settings of {@code outbox.*}. */
    Outbox create(String name, DataSource dataSource);

    /**
     * Creates an outbox in the DataSource, with settings of its own.
     *
     * @throws IllegalArgumentException if the properties have settings that are not those of one outbox
     * @throws IllegalStateException if there is an outbox of this name already
     */
    Outbox create(String name, DataSource dataSource, OutboxProperties properties);

    /**
     * Returns the outbox that was created with this name.
     *
     * @throws IllegalStateException if there is none
     */
    Outbox get(String name);

    /** Returns the names of the outboxes that were created. */
    Set<String> names();

    /** Returns how the outboxes take part in transactions. */
    List<SpringTxContext> txContexts();
}
