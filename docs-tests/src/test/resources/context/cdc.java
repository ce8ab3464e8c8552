import io.outbox.Outbox;
import io.outbox.jdbc.JdbcOutbox;
import java.time.Duration;
import javax.sql.DataSource;

abstract class Context {
    DataSource dataSource;
}
