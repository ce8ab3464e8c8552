package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.awaitPayloads;
import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.SpringTxContext;
import jakarta.persistence.EntityManagerFactory;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.orm.jpa.JpaTransactionManager;

/** The starter in an application with JPA. */
class JpaTest {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class JpaApplication {}

    @Test
    void deliversEventsOfJpaTransactions() {
        new ApplicationContextRunner()
                .withUserConfiguration(JpaApplication.class, Deliveries.class)
                .run(context -> {
                    assertThat(context).hasSingleBean(EntityManagerFactory.class);
                    assertThat(context.getBean(JpaTransactionManager.class).getTransactionExecutionListeners())
                            .containsOnlyOnce(context.getBean(SpringTxContext.class));
                    write(context, "Placed", "1");
                    awaitPayloads(context, "1");
                });
    }
}
