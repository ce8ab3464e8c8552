package io.outbox.spring.boot.modulith.nodes;

import io.outbox.spring.boot.modulith.shop.OrderCompleted;
import io.outbox.spring.boot.modulith.shop.ShopApplication;
import io.outbox.testservers.support.ChildJvm;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An instance of the shop in a process of its own. It completes orders, each in a transaction that stores the order and
 * publishes the event: as many as it is told once the phase is 1, and without end while it is 2.
 */
final class ShopNode {

    private ShopNode() {}

    public static void main(String[] arguments) {
        ChildJvm.endWithParent();
        ConfigurableApplicationContext context = new SpringApplicationBuilder(
                        ShopApplication.class, KafkaTransport.class)
                .web(WebApplicationType.NONE)
                .run(arguments);
        JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
        TransactionTemplate transactions = new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
        String name = context.getEnvironment().getRequiredProperty("shop.name");
        int atFirst = context.getEnvironment().getRequiredProperty("shop.orders", int.class);
        System.out.println("ready");
        while (phase(jdbc) == 0) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        for (int i = 0; i < atFirst; i++) {
            complete(context, jdbc, transactions, name + "-" + i);
        }
        System.out.println("written");
        for (int i = atFirst; ; i++) {
            int phase = phase(jdbc);
            if (phase == 3) {
                System.out.println("stopped");
                LockSupport.park();
            }
            if (phase == 2) {
                complete(context, jdbc, transactions, name + "-" + i);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static int phase(JdbcTemplate jdbc) {
        return jdbc.queryForObject("SELECT phase FROM shop_phase", Integer.class);
    }

    private static void complete(
            ConfigurableApplicationContext context, JdbcTemplate jdbc, TransactionTemplate transactions, String id) {
        transactions.executeWithoutResult(status -> {
            jdbc.update("INSERT INTO shop_order (id) VALUES (?)", id);
            context.publishEvent(new OrderCompleted(id, 1));
        });
    }
}
