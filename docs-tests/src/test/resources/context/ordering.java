import io.outbox.BlockedKeys;
import io.outbox.Ordering;
import io.outbox.Outbox;
import io.outbox.jdbc.DeadLetterSchema;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.DeadLetterStore;
import io.outbox.model.BlockedKey;
import io.outbox.redis.RedisOutbox;
import io.outbox.registry.ListenerRegistry;
import java.time.Duration;
import javax.sql.DataSource;

abstract class Context {
    JdbcOutbox jdbc;
    ListenerRegistry listeners;
    DataSource dataSource;
    DeadLetterStore deadLetters;
    Outbox outbox;
    RedisOutbox redis;
}
