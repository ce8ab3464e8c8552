import io.outbox.*;
import io.outbox.spring.boot.*;
import java.time.Duration;
import java.util.List;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

abstract class Context {
    record OrderPlaced(String id, String customer) {}
    record Order(String id, String customer, String region) {}
    record Payment(String id) {}
    record Product(String id) {}
    record Address(String region) {}
    interface Mail {
        void send(String to, String text);
    }
    interface Ledger {
        boolean isOpen();
        void book(String eventId, Object entry);
    }
    interface Search {
        void index(Object document);
    }
    interface Invoices {
        void create(OrderPlaced order);
    }
    interface Orders {
        void save(Order order);
    }

    static Mail mail;
    static Ledger ledger;
    static Search search;
    static Invoices invoices;
    static Orders orders;
    static OutboxPublisher outbox;
    static ApplicationEventPublisher applicationEvents;
    static List<String> log;
}
