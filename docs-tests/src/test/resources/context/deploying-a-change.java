import io.outbox.*;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.*;

abstract class Context {
    static DefaultListenerRegistry registry;
    static EventListener listener;
}
