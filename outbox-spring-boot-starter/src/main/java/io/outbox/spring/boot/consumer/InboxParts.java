package io.outbox.spring.boot.consumer;

import io.outbox.inbox.JdbcInbox;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.failures.SeveralDataSources;
import io.outbox.spring.boot.internal.jdbc.SchemaInitializer;
import io.outbox.spring.boot.internal.jdbc.TransactionListening;
import io.outbox.spring.boot.internal.settings.OutboxSettings;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;

/** Builds the inbox in the application's DataSource: the marked one, or else the only or primary one. */
final class InboxParts {

    private final ListableBeanFactory beans;
    private final ObjectProvider<DataSource> dataSources;
    private final ObjectProvider<DataSource> marked;

    InboxParts(ListableBeanFactory beans, ObjectProvider<DataSource> dataSources, ObjectProvider<DataSource> marked) {
        this.beans = beans;
        this.dataSources = dataSources;
        this.marked = marked;
    }

    /** Returns the DataSource of marks and effects. */
    private DataSource dataSource() {
        DataSource chosen = marked.getIfAvailable(dataSources::getIfUnique);
        if (chosen != null) {
            return chosen;
        }
        SeveralDataSources candidates = SeveralDataSources.of(beans);
        throw new OutboxStartupException(
                "The idempotent consumer cannot be set up: "
                        + (candidates.areSeveral()
                                ? "there are several DataSources, " + candidates.candidates()
                                        + ", and none is chosen for marking events as consumed"
                                : "there is no DataSource to mark events as consumed in"),
                candidates.areSeveral()
                        ? "Mark one of them with @OutboxDataSource or @Primary; or define a bean of type JdbcInbox"
                        : "Add the driver of your database and set spring.datasource.url; or set "
                                + ConsumerKeys.ENABLED + "=false");
    }

    /** Returns the inbox, whose table is created where the settings say so, and checked in any case. */
    public JdbcInbox inbox(ConsumerSettings consumer, OutboxSettings outbox) {
        DataSource dataSource = dataSource();
        SpringTxContext context = new SpringTxContext(dataSource);
        TransactionListening.listen(context, beans);
        SpringInboxTransactions transactions =
                new SpringInboxTransactions(context, new TransactionManagerChoice(beans).of(dataSource));
        JdbcInbox inbox = JdbcInbox.of(dataSource, transactions).withTable(consumer.tableName());
        if (SchemaInitializer.creates(outbox.table().initialize(), dataSource)) {
            inbox.createSchema();
        }
        validate(inbox);
        transactions.requireTheirConnection();
        return inbox;
    }

    private static void validate(JdbcInbox inbox) {
        try {
            inbox.validateSchema();
        } catch (OutboxStoreException e) {
            if (e.getCause() != null) {
                throw e;
            }
            throw new OutboxStartupException(
                    e.getMessage(),
                    "Let the application create it with outbox.tables.auto-create=true, or create it with your migration"
                            + " tool: with Flyway from classpath:schema/flyway-inbox/{vendor}, with Liquibase from"
                            + " schema/liquibase/outbox-inbox.xml. If it has another name, set "
                            + ConsumerKeys.of("table-name"));
        }
    }
}
