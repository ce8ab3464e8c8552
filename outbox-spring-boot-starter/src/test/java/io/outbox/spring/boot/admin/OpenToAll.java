package io.outbox.spring.boot.admin;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Makes Spring Security, which is on the class path of all tests, leave everything to the application. */
@Configuration(proxyBeanMethods = false)
public class OpenToAll {

    @Bean
    SecurityFilterChain open(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(requests -> requests.anyRequest().permitAll())
                .csrf(csrf -> csrf.disable())
                .build();
    }
}
