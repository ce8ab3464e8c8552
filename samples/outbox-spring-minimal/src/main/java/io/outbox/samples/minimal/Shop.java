package io.outbox.samples.minimal;

import io.outbox.OutboxPublisher;
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
    CommandLineRunner placeOrder(TransactionTemplate transaction, OutboxPublisher outbox) {
        return args -> transaction.executeWithoutResult(tx -> outbox.publish("OrderPlaced", "{\"order\": 1}"));
    }

    @OutboxListener(eventType = "OrderPlaced")
    void sendConfirmation(String order) {
        System.out.println("Confirming " + order);
    }
}
