import io.lettuce.core.RedisURI;
import io.outbox.*;
import io.outbox.redis.RedisOutbox;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.List;

abstract class Context {
    RedisOutbox redis;
    RedisURI uri;
    OutboxWriter writer;
    DefaultListenerRegistry listeners;
    String json;

    void placeOrders(RedisOutbox redis, OutboxWriter writer) {}
}
