import io.outbox.*;
import io.outbox.spring.boot.*;
import java.util.List;
import org.springframework.transaction.annotation.Transactional;

abstract class Context {
    record Order(String id) {}
    record OrderPlaced(String id) {}
    interface Orders {
        void save(Order order);
    }
    interface Mail {
        void sendConfirmation(String orderId);
    }
    interface Ledger {
        void bookInvoice(long number);
    }
    Orders orders;
    Mail mail;
    Ledger ledger;
    OutboxPublisher outbox;
}
