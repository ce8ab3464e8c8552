import io.outbox.*;
import io.outbox.inbox.*;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.HeaderReader;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.Map;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.kafka.annotation.KafkaListener;
import org.springframework.stereotype.Component;

abstract class Context {
    record Order(String id) {}
    record OrderPlaced(String id) {}
    record Delivery(Map<String, byte[]> headers) {}

    JdbcOutbox jdbc;
    JdbcTemplate jdbcTemplate;
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

    static void insert(Object order) {}

    static void insertAll(List<?> fresh) {}
}
