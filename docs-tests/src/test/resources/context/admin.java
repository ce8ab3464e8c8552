import io.outbox.*;
import io.outbox.admin.*;
import io.outbox.dead.*;
import io.outbox.jdbc.JdbcOutbox;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.DeadLetterChange;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.stereotype.Component;

abstract class Context {
    DataSource dataSource;
    DefaultListenerRegistry listeners;
    DeadLetterQueue letters;
    Outbox outbox;
    String eventId;

    void log(String text) {}

    static void page(String text) {}
}
