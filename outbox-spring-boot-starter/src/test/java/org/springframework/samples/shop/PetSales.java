package org.springframework.samples.shop;

import io.outbox.spring.boot.Idempotent;
import io.outbox.spring.boot.OutboxListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.springframework.stereotype.Component;

/** An application whose package begins like those of Spring. */
public class PetSales {

    public record PetSold(String name) {}

    /** A component, by which it is known to be the application's. */
    @Component
    public static class Receipts {

        public final List<String> pets = new CopyOnWriteArrayList<>();

        @OutboxListener
        void on(PetSold sale) {
            pets.add(sale.name());
        }
    }

    /** A plain class, which is the application's by its package. */
    public static class Statistics {

        public final List<String> pets = new CopyOnWriteArrayList<>();

        @OutboxListener(subscription = "statistics")
        void on(PetSold sale) {
            pets.add(sale.name());
        }
    }

    @Component
    public static class Mistaken {

        @Idempotent
        public void noListener() {}
    }

    private PetSales() {}
}
