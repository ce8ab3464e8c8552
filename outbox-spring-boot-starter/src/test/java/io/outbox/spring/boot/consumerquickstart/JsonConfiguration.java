package io.outbox.spring.boot.consumerquickstart;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** The mapper that Spring Boot 4 has anyway. */
@Configuration(proxyBeanMethods = false)
class JsonConfiguration {

    @Bean
    JsonMapper jsonMapper() {
        return JsonMapper.builder().build();
    }
}
