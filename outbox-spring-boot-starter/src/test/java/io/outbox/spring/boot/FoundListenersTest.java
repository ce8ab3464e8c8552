package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.OutboxPublisher;
import io.outbox.testservers.support.LogLines;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;
import org.springframework.samples.shop.PetSales;
import org.springframework.samples.shop.PetSales.PetSold;

/** Which listeners of an application are found, and what is said of settings of those that are not. */
class FoundListenersTest {

    @Configuration(proxyBeanMethods = false)
    @AutoConfigurationPackage(basePackageClasses = PetSales.class)
    static class PetShop {

        @Bean
        PetSales.Statistics statistics() {
            return new PetSales.Statistics();
        }
    }

    @Test
    void thoseOfAnApplicationWhosePackageBeginsLikeThoseOfSpring() {
        TestApplication.runner(PetShop.class, PetSales.Receipts.class).run(context -> {
            Deliveries.inTransaction(
                    context, () -> context.getBean(OutboxPublisher.class).publish("PetSold", new PetSold("Rex")));

            await().untilAsserted(() -> {
                assertThat(context.getBean(PetSales.Receipts.class).pets).containsExactly("Rex");
                assertThat(context.getBean(PetSales.Statistics.class).pets).containsExactly("Rex");
            });
        });
    }

    @Test
    void thereIdempotentIsCheckedToo() {
        TestApplication.runner(PetSales.Mistaken.class)
                .withPropertyValues("outbox.consumer.enabled=true", "spring.application.name=pets")
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining("noListener has @Idempotent, but is not a supported listener"));
    }

    static class Bills {
        @OutboxListener(name = "invoices")
        void on(PetSold sale) {}
    }

    private static List<String> warnings(Map<String, Object> settings) {
        ApplicationContextRunner runner = TestApplication.runner(Bills.class)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addLast(new MapPropertySource("application file", settings)));
        try (LogLines log = new LogLines()) {
            runner.run(context -> assertThat(context).hasNotFailed());
            return log.at(Level.WARNING);
        }
    }

    @Test
    void settingsOfAListenerThatIsNotInTheContextAreWarnedOf() {
        assertThat(warnings(Map.of("outbox.listeners.invoice.max-attempts", 3)))
                .containsExactly(
                        "Settings below outbox.listeners.invoice have no effect here: there is no listener of this"
                                + " name, only [invoices]; did you mean invoices?");
    }

    @Test
    void aNameWithADotThatHasNoBracketsIsWarnedOf() {
        assertThat(warnings(Map.of("outbox.listeners.bills.on.backoff.delay", "3s")))
                .containsExactly(
                        "outbox.listeners.bills.on.backoff.delay is not a setting of the outbox and has no effect; a"
                                + " name with a dot stands in brackets: outbox.listeners[bills.on].backoff.delay, in YAML"
                                + " \"[bills.on]\"");
    }

    @Test
    void misspelledSettingsOfAListenerAreWarnedOf() {
        assertThat(warnings(Map.of(
                        "outbox.listeners.invoices.max-attemps",
                        3,
                        "outbox.listeners.invoices.backof.delay",
                        "3s",
                        "outbox.listeners.invoices.backoff.multiplier",
                        3,
                        "outbox.listeners.invoices.backoff.delay",
                        "1s")))
                .containsExactlyInAnyOrder(
                        "outbox.listeners.invoices.max-attemps is not a setting of the outbox and has no effect; did you mean"
                                + " outbox.listeners.invoices.max-attempts?",
                        "outbox.listeners.invoices.backof.delay is not a setting of the outbox and has no effect; did you mean"
                                + " outbox.listeners.invoices.backoff.delay?");
    }
}
