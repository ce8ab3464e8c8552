package io.outbox.spring.boot.internal.failures;

import io.outbox.jdbc.OutboxSchemaException;
import io.outbox.jdbc.OutboxStoreException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows why the outbox table cannot be used: it is missing or wrong, may not be created, or the database is down. */
final class StoreFailureAnalyzer extends AbstractFailureAnalyzer<OutboxStoreException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OutboxStoreException cause) {
        if (cause instanceof OutboxSchemaException table) {
            return table(table);
        }
        SQLException said = findCause(cause, SQLException.class);
        return said != null && isAboutTheConnection(said) ? database(cause, said) : statement(cause);
    }

    private static FailureAnalysis table(OutboxSchemaException cause) {
        String remedy = cause.isTableMissing()
                ? "Let the application create it with outbox.schema.initialize=always, or create it with your migration tool"
                        + " by the script that is named above."
                : "The application never changes an existing table: run the statements above, or the script, with your"
                        + " migration tool.";
        return new FailureAnalysis(
                cause.getMessage()
                        + "\nWithout it no event can be written or delivered, so the application does not start.",
                remedy + " If the outbox has another table, name it with outbox.table-name.",
                cause);
    }

    private static FailureAnalysis database(OutboxStoreException cause, SQLException said) {
        return new FailureAnalysis(
                "The outbox cannot connect to its database: " + Reason.of(said)
                        + "\nWithout it no event can be written or delivered, so the application does not start.",
                "Start the database, or correct spring.datasource.url, spring.datasource.username and"
                        + " spring.datasource.password, or the application's own DataSource.",
                cause);
    }

    private static FailureAnalysis statement(OutboxStoreException cause) {
        return new FailureAnalysis(
                Reason.masked(cause.getMessage())
                        + "\nWithout its table no event can be written or delivered, so the application does not start.",
                "Give the user of the database the rights that are missing; or create the table with your migration tool"
                        + " by schema/<database>.sql of the outbox-jdbc jar, and set outbox.schema.initialize=never.",
                cause);
    }

    /** Classes 08 and 28 of the standard are connections and authorizations. */
    private static boolean isAboutTheConnection(SQLException said) {
        String state = said.getSQLState();
        return said instanceof SQLTransientConnectionException
                || said instanceof SQLNonTransientConnectionException
                || (state != null && (state.startsWith("08") || state.startsWith("28")));
    }
}
