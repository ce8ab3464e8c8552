package io.outbox.spring.boot.admin;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.security.web.util.matcher.OrRequestMatcher;

@Configuration
class OutboxSecurity {

    @Bean
    @Order(1)
    SecurityFilterChain outboxAdminSecurity(HttpSecurity http) throws Exception {
        var paths = PathPatternRequestMatcher.withDefaults(); // matches paths of any servlet, not only of Spring MVC
        return http.securityMatcher(
                        new OrRequestMatcher(paths.matcher("/outbox-admin/**"), paths.matcher("/api/outbox-dlq/**")))
                .authorizeHttpRequests(requests -> requests.anyRequest().hasAnyRole("OUTBOX_READ", "OUTBOX_OPERATE"))
                .httpBasic(Customizer.withDefaults())
                .csrf(csrf -> csrf.disable()) // the outbox itself refuses requests from pages of other sites
                .build();
    }
}
