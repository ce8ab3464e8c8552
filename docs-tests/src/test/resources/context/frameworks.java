import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.table;

import io.outbox.*;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jta.JtaConnectionProvider;
import io.outbox.jta.JtaTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.store.StoreBackend;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.Transactional;
import java.time.Duration;
import javax.sql.DataSource;
import org.jooq.DSLContext;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;

abstract class Context {
    interface Order {
        String json();
    }
    interface Orders {
        void persist(Order order);
    }
    interface Mail {
        void send(String text);
    }
    Orders orders;
    Mail mail;
    Outbox outbox;
    DataSource dataSource;
    ListenerRegistry listeners;
}
