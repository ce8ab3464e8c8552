package io.outbox.samples.minimal;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.OutboxWriter;
import io.outbox.spring.boot.OutboxListener;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.transaction.support.TransactionTemplate;

@SpringBootApplication
public class Shop {
    public static void main(String[] args) {
        SpringApplication.run(Shop.class, args);
    }

    @Bean
    CommandLineRunner placeOrder(TransactionTemplate transaction, OutboxWriter outbox) {
        return args -> transaction.executeWithoutResult(tx -> outbox.write("OrderPlaced", "{\"order\": 1}"));
    }

    @Bean
    @OutboxListener(eventType = "OrderPlaced")
    EventListener sendConfirmation() {
        return event -> {
            System.out.println("Confirming " + event.payloadJson());
            return DispatchResult.done();
        };
    }
}
