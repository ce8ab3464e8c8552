import io.outbox.*;
import io.outbox.inbox.*;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.List;
import java.util.Map;

abstract class Context {
    record Order(String id) {}
    record Delivery(Map<String, byte[]> headers) {}

    JdbcOutbox jdbc;
    Outbox outbox;
    JdbcInbox inbox;
    OutboxIdempotentConsumer consumer;
    DefaultListenerRegistry listeners;
    Map<String, Object> headers;
    List<Map<String, Object>> messages;
    Order order;
    List<Order> orders;
    Map<String, Boolean> map;

    void bill(Object order) {}

    void insertAll(List<?> fresh) {}
}
