import org.springframework.context.ApplicationEventPublisher;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.annotation.Transactional;

abstract class Context {
    interface Orders {
        void complete(String id);
    }
    Orders orders;
    ApplicationEventPublisher events;
}
