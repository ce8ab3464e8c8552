package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.amqp.rabbit.annotation.RabbitListener;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.kafka.annotation.KafkaListener;

/** Listeners of brokers in an application that has turned the outbox off. */
class ListenersWithoutOutboxTest {

    private static ApplicationContextRunner application(Class<?>... configurations) {
        return TestApplication.runner(configurations)
                .withPropertyValues(
                        "outbox.enabled=false",
                        "outbox.consumer.enabled=true",
                        "outbox.consumer.mappings.placed=java.util.Map",
                        "spring.kafka.consumer.group-id=billing",
                        "spring.kafka.listener.auto-startup=false",
                        "spring.rabbitmq.listener.simple.auto-startup=false");
    }

    static class OfKafka {
        @Idempotent
        @KafkaListener(topics = "bills")
        void on(String item) {}
    }

    static class OfRabbit {
        @Idempotent
        @RabbitListener(queues = "bills")
        void on(String item) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OfKafka.class, OfRabbit.class})
    void areRefusedIfTheyAreToBeIdempotent(Class<?> listener) {
        application(listener)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasStackTraceContaining(".on has @Idempotent")
                        .hasStackTraceContaining("outbox.enabled=false"));
    }

    static class Plain {
        @KafkaListener(topics = "bills")
        void onKafka(String item) {}

        @RabbitListener(queues = "bills")
        void onRabbit(String item) {}
    }

    @Test
    void areLeftAloneOtherwise() {
        application(Plain.class).run(context -> assertThat(context).hasNotFailed());
    }
}
