import io.outbox.*;
import io.outbox.dispatch.*;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.kafka.*;
import io.outbox.rabbitmq.*;
import io.outbox.spi.*;
import io.outbox.spring.boot.OutboxPublish;
import io.outbox.spring.boot.Outboxed;
import java.time.Duration;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.annotation.Transactional;

abstract class Context {
    record OrderCreateDto(String item) {}
    record OrderDto(long id, String item) {}
    record OrderEntity(long id, String item) {}
    interface OrderMapper {
        OrderEntity toEntity(OrderCreateDto dto);
        OrderDto toDto(OrderEntity entity);
    }
    interface OrderRepository {
        OrderEntity save(OrderEntity order);
    }

    OrderMapper mapper;
    OrderRepository repository;
    JdbcOutbox jdbc;
    JsonCodec codec;
}
