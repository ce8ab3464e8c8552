import io.outbox.*;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.*;
import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxPublish;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.springframework.kafka.annotation.KafkaListener;
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
    record Parcel(OrderDto order) {}
    interface Parcels {
        void save(Parcel parcel);
    }
    interface Mail {
        void send(String order, int attempt);
    }
    interface Alerts {
        void raise(String eventId, String reason);
    }

    OrderMapper mapper;
    OrderRepository repository;
    Parcels parcels;
    OutboxBackend backend;
    Mail mail;
    Alerts alerts;
    ContextPropagator requestIdInLog;
}
