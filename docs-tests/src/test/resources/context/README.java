import io.outbox.Outbox;
import java.time.Duration;

abstract class Context {}
