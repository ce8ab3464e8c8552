import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.outbox.*;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.*;
import org.springframework.stereotype.Component;

abstract class Context {
    static DefaultListenerRegistry registry;
    static EventListener listener;
    static Outbox.SingleNodeBuilder builder;
}
