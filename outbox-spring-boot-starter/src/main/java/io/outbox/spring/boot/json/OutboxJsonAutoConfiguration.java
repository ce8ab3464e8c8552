package io.outbox.spring.boot.json;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.Jackson2JsonCodec;
import io.outbox.spring.boot.JacksonJsonCodec;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;

/**
 * Auto-configuration of the {@link JsonCodec}: by the application's Jackson 3 mapper, or else by its Jackson 2 mapper,
 * or else, where it has none or several and none of them is primary, by a Jackson 2 mapper of its own.
 */
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
    CodecAsDefault outboxDefaultJsonCodec(ObjectProvider<JsonCodec> codec, ListableBeanFactory beans) {
        return new CodecAsDefault(
                codec.getIfUnique(() -> new AmbiguousJsonCodec(beans.getBeanNamesForType(JsonCodec.class))));
    }

    /** Listeners read payloads, and nobody asks for this bean by name. */
    @Bean
    static LazyInitializationExcludeFilter outboxDefaultJsonCodecIsNotLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(CodecAsDefault.class);
    }

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

    @Order(2)
    @ConditionalOnClass(name = "com.fasterxml.jackson.databind.ObjectMapper")
    static class Jackson2 {

        @Bean
        @ConditionalOnMissingBean(JsonCodec.class)
        Jackson2JsonCodec outboxJsonCodec(ObjectProvider<com.fasterxml.jackson.databind.ObjectMapper> mapper) {
            com.fasterxml.jackson.databind.ObjectMapper unique = mapper.getIfUnique();
            return unique == null ? new Jackson2JsonCodec() : new Jackson2JsonCodec(unique);
        }
    }
}
