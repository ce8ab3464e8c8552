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
 * <p>The name stands for the outbox in {@link OutboxListener#outbox()}, {@link Outboxed#outbox()} and {@link
 * OutboxPublish#outbox()}, in the log, in health and at the endpoint, and in the tag {@code outbox} of its meters.
 * {@link Outbox#publisher()} of such an outbox does what the {@code OutboxPublisher} bean does in an application with
 * one outbox. Thread-safe.
 */
public interface OutboxFactory {

    /** Creates an outbox in the DataSource, with the settings of {@code outbox.*}. */
    Outbox create(String name, DataSource dataSource);

    /**
     * Creates an outbox in the DataSource, with its own settings.
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
