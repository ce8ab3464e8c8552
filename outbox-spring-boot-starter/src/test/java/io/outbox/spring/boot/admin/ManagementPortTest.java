package io.outbox.spring.boot.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;

/**
 * The administration at the port of an application's management: users decide on one of its paths, a token on the
 * other.
 */
class ManagementPortTest {

    private static final String OVERVIEW = "/outbox-admin/api/overview";
    private static final String PAUSE = "/outbox-admin/api/delivery/pause";
    private static final String LETTERS = "/api/outbox-dlq/events/count";
    private static final String TOKEN = "a-token-of-the-operators";

    private static WebShop shop;

    @Configuration(proxyBeanMethods = false)
    @Import(OpenToAll.class)
    static class Shop {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(User.withUsername("reader")
                    .password("{noop}secret")
                    .roles("OUTBOX_READ")
                    .build());
        }

        @Bean
        @Order(1)
        SecurityFilterChain outboxAdminSecurity(HttpSecurity http) throws Exception {
            return http.securityMatcher(PathPatternRequestMatcher.withDefaults().matcher("/outbox-admin/**"))
                    .authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .httpBasic(Customizer.withDefaults())
                    .csrf(csrf -> csrf.disable())
                    .build();
        }
    }

    @BeforeAll
    static void start() {
        shop = WebShop.start(
                Shop.class,
                "management.server.port=0",
                "outbox.admin.port=management",
                "outbox.admin.token=" + TOKEN,
                "outbox.publisher.dlq.enabled=true");
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    private static String reader() {
        return "Basic " + Base64.getEncoder().encodeToString("reader:secret".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void theApplicationDoesNotServeIt() {
        HttpResponse<String> answer = shop.get(LETTERS, "Authorization", "Bearer " + TOKEN);
        assertThat(answer.statusCode()).isEqualTo(404);
        assertThat(answer.body()).doesNotContain("urn:outbox");
    }

    @Test
    void usersHaveTheirRolesThere() {
        assertThat(shop.getFromManagement(OVERVIEW).statusCode()).isEqualTo(401);
        assertThat(shop.getFromManagement(OVERVIEW, "Authorization", reader()).statusCode())
                .isEqualTo(200);
        assertThat(shop.postToManagement(PAUSE, "Authorization", reader()).statusCode())
                .isEqualTo(403);
        assertThat(shop.getFromManagement("/outbox-admin/", "Authorization", reader())
                        .body())
                .contains("<title>Outbox</title>");
    }

    @Test
    void tokensDecideThereToo() {
        assertThat(shop.getFromManagement(LETTERS).statusCode()).isEqualTo(401);
        assertThat(shop.getFromManagement(LETTERS, "Authorization", "Bearer " + TOKEN)
                        .body())
                .isEqualTo("{\"count\":0}");
    }
}
