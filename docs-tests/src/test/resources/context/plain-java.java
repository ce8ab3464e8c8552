import io.outbox.*;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.*;
import java.net.SocketTimeoutException;
import java.time.Duration;

abstract class Context {
    interface Mail {
        void send(String order, int attempt);
    }
    interface Alerts {
        void raise(String eventId, String reason);
    }

    OutboxBackend backend;
    JdbcOutbox jdbc;
    Mail mail;
    Alerts alerts;
    ContextPropagator requestIdInLog;
}
