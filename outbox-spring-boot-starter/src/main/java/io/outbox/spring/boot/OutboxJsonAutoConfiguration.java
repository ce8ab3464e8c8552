package io.outbox.spring.boot;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.internal.json.DefaultJsonCodec;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;

/** Auto-configuration of the {@link JsonCodec}: by the application's Jackson 3 mapper, or else by its Jackson 2 mapper. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration"
        })
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
public class OutboxJsonAutoConfiguration {

    @Bean
    @ConditionalOnBean(JsonCodec.class)
    @ConditionalOnMissingBean
    DefaultJsonCodec outboxDefaultJsonCodec(JsonCodec codec) {
        return new DefaultJsonCodec(codec);
    }

    @Configuration(proxyBeanMethods = false)
    @Order(1)
    @ConditionalOnClass(name = "tools.jackson.databind.ObjectMapper")
    static class Jackson3 {

        @Bean
        @ConditionalOnSingleCandidate(tools.jackson.databind.ObjectMapper.class)
        @ConditionalOnMissingBean(JsonCodec.class)
        JacksonJsonCodec outboxJsonCodec(tools.jackson.databind.ObjectMapper mapper) {
            return new JacksonJsonCodec(mapper);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Order(2)
    @ConditionalOnClass(name = "com.fasterxml.jackson.databind.ObjectMapper")
    static class Jackson2 {

        @Bean
        @ConditionalOnSingleCandidate(com.fasterxml.jackson.databind.ObjectMapper.class)
        @ConditionalOnMissingBean(JsonCodec.class)
        Jackson2JsonCodec outboxJsonCodec(com.fasterxml.jackson.databind.ObjectMapper mapper) {
            return new Jackson2JsonCodec(mapper);
        }
    }
}
