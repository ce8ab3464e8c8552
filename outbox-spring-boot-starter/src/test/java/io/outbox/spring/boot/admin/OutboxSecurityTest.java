package io.outbox.spring.boot.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;

/** The administration behind Spring Security, set up as docs/admin.md says, next to what the application has. */
class OutboxSecurityTest {

    private static final String OVERVIEW = "/outbox-admin/api/overview";
    private static final String LETTERS = "/api/outbox-dlq/events/count";
    private static final String PAUSE = "/outbox-admin/api/delivery/pause";

    private static WebShop shop;

    @Configuration(proxyBeanMethods = false)
    @Import({OutboxSecurity.class, OpenToAll.class})
    static class Shop {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    user("reader", "OUTBOX_READ"), user("operator", "OUTBOX_OPERATE"), user("customer", "CUSTOMER"));
        }

        private static UserDetails user(String name, String role) {
            return User.withUsername(name).password("{noop}secret").roles(role).build();
        }
    }

    @BeforeAll
    static void start() {
        shop = WebShop.start(Shop.class, "outbox.publisher.dlq.enabled=true");
    }

    @AfterAll
    static void stop() {
        shop.close();
    }

    private static String basic(String name) {
        return "Basic " + Base64.getEncoder().encodeToString((name + ":secret").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void whoIsNotKnownIsAskedWhoTheyAre() {
        for (String path : new String[] {OVERVIEW, LETTERS, "/outbox-admin/"}) {
            HttpResponse<String> refused = shop.get(path);
            assertThat(refused.statusCode()).as(path).isEqualTo(401);
            assertThat(refused.headers().firstValue("WWW-Authenticate").orElseThrow())
                    .startsWith("Basic");
        }
        assertThat(shop.post(PAUSE).statusCode()).isEqualTo(401);
    }

    @ParameterizedTest
    @CsvSource({"reader, 200, 403", "operator, 200, 204", "customer, 403, 403"})
    void aUserMayDoWhatTheRoleSays(String user, int reads, int operates) {
        assertThat(shop.get(OVERVIEW, "Authorization", basic(user)).statusCode())
                .isEqualTo(reads);
        assertThat(shop.get(LETTERS, "Authorization", basic(user)).statusCode()).isEqualTo(reads);
        assertThat(shop.post(PAUSE, "Authorization", basic(user)).statusCode()).isEqualTo(operates);
    }

    @Test
    void pagesOfOtherSitesChangeNothing() {
        HttpResponse<String> refused =
                shop.post(PAUSE, "Authorization", basic("operator"), "Origin", "https://evil.example");
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(refused.body()).contains("urn:outbox:problem:other-site");
    }

    @Test
    void theAuditLogNamesTheUser() {
        shop.post(PAUSE, "Authorization", basic("operator"));
        assertThat(shop.get("/outbox-admin/api/audit", "Authorization", basic("reader"))
                        .body())
                .contains("\"who\":\"operator\"");
    }

    @Test
    void isSetUpAsDocumented() throws IOException {
        String source = Files.readString(Path.of(
                "..",
                "outbox-spring-boot-starter/src/test/java",
                OutboxSecurity.class.getName().replace('.', '/') + ".java"));
        assertThat(Files.readString(Path.of("..", "docs", "admin.md")))
                .contains(source.substring(source.indexOf("import")));
    }
}
