package io.outbox.spring.boot.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.admin.OutboxAdmin;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.filter.ForwardedHeaderFilter;

/** Who passes for this machine on a real server: nobody who only says so. */
class ProxiesTest {

    private static final String OVERVIEW = "/outbox-admin/api/overview";
    private static final String[] FROM_HERE = {"X-Forwarded-For", "127.0.0.1"};
    private static final String TOKEN = "operate-0123456789";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.forward-headers-strategy=framework",
                "server.forward-headers-strategy=NATIVE",
                "server.tomcat.remoteip.remote-ip-header=X-Forwarded-For",
                "server.tomcat.remoteip.protocol-header=X-Forwarded-Proto",
                "spring.main.cloud-platform=kubernetes"
            })
    void whereHeadersOfProxiesAreHeededNobodyIsServedWithoutATokenOrAUser(String setting) {
        try (WebShop shop = WebShop.start(OpenToAll.class, setting)) {
            HttpResponse<String> refused = shop.get(OVERVIEW, FROM_HERE);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("urn:outbox:problem:behind-proxy", "set a token");
            assertThat(shop.get(OVERVIEW).statusCode()).isEqualTo(403);
            assertThat(shop.get(OVERVIEW, "X-Forwarded-For", "no-address.invalid")
                            .statusCode())
                    .isEqualTo(403);
        }
    }

    @Test
    void aTokenIsTakenBehindAProxy() {
        try (WebShop shop = WebShop.start(
                OpenToAll.class, "server.forward-headers-strategy=framework", "outbox.admin.token=" + TOKEN)) {
            assertThat(shop.get(OVERVIEW, FROM_HERE).statusCode()).isEqualTo(401);
            assertThat(shop.get(OVERVIEW, "X-Forwarded-For", "10.0.0.7", "Authorization", "Bearer " + TOKEN)
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    @Test
    void withoutAProxyThisMachineIsServed() {
        try (WebShop shop = WebShop.start(OpenToAll.class, "server.forward-headers-strategy=none")) {
            assertThat(shop.get(OVERVIEW).statusCode()).isEqualTo(200);
            assertThat(shop.get(OVERVIEW, FROM_HERE).statusCode()).isEqualTo(403);
        }
    }

    /** A filter that the starter knows nothing of, which shows another address and hides the headers. */
    @Configuration(proxyBeanMethods = false)
    @Import(OpenToAll.class)
    static class OwnFilter {

        @Bean
        ForwardedHeaderFilter forwardedHeaders() {
            return new ForwardedHeaderFilter();
        }
    }

    @Test
    void filtersHideNoProxy() {
        try (WebShop shop = WebShop.start(OwnFilter.class)) {
            assertThat(shop.get(OVERVIEW).statusCode()).isEqualTo(200);
            assertThat(shop.get(OVERVIEW, FROM_HERE).statusCode()).isEqualTo(403);
            assertThat(shop.get(OVERVIEW, "Forwarded", "for=127.0.0.1").statusCode())
                    .isEqualTo(403);
        }
    }

    /** An administration that was not told of any proxy. */
    @Configuration(proxyBeanMethods = false)
    @Import(OpenToAll.class)
    static class OwnAdministration {

        @Bean
        OutboxAdmin admin(Outbox outbox) {
            return OutboxAdmin.of(outbox).build();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1", "no-address.invalid"})
    void anAddressThatTomcatHasFromAHeaderIsNone(String address) {
        try (WebShop shop = WebShop.start(OwnAdministration.class, "server.forward-headers-strategy=native")) {
            HttpResponse<String> refused = shop.get(OVERVIEW, "X-Forwarded-For", address);
            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(refused.body()).contains("urn:outbox:problem:loopback-only");
        }
    }
}
