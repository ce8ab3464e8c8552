package io.outbox.spring.boot.admin;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

@Configuration
class OutboxSecurity {

    @Bean
    @Order(1)
    SecurityFilterChain outboxAdminSecurity(HttpSecurity http) throws Exception {
        return http.securityMatcher("/outbox-admin/**", "/api/outbox-dlq/**")
                .authorizeHttpRequests(requests -> requests.anyRequest().hasAnyRole("OUTBOX_READ", "OUTBOX_OPERATE"))
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable()) // the outbox refuses what pages of other sites send
                .build();
    }
}
