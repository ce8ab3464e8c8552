package io.outbox.admin;

import static io.outbox.admin.AdminFixture.BASE;
import static io.outbox.admin.AdminFixture.DLQ;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.testservers.support.LogLines;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is served, and what browsers are told. */
class SecurityTest {

    private static final String READ = "read-token-0123456789";
    private static final String OPERATE = "operate-token-0123456789";

    private AdminFixture fixture = AdminFixture.withDeadLetters();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void withTokens() {
        fixture.close();
        fixture =
                AdminFixture.withDeadLetters(builder -> builder.readToken(READ).operateToken(OPERATE));
    }

    private int handle(String method, String path, String remote, Caller caller, Map<String, String> headers) {
        try {
            Map<String, String> all = new HashMap<>(Map.of("Host", "localhost:8080"));
            all.putAll(headers);
            InetAddress address = remote == null ? null : InetAddress.getByName(remote);
            return fixture.admin
                    .handle(new AdminRequest(
                            AdminRequest.Target.of(method, path, null), all, new byte[0], address, caller))
                    .status();
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withoutATokenOnlyThisMachineIsServed() {
        assertThat(handle("GET", DLQ, "127.0.0.1", null, Map.of())).isEqualTo(200);
        assertThat(handle("GET", DLQ, "::1", null, Map.of("Host", "[::1]:8080")))
                .isEqualTo(200);
        assertThat(handle("GET", DLQ, "10.0.0.7", null, Map.of())).isEqualTo(403);
        assertThat(handle("GET", "/outbox-admin", "10.0.0.7", null, Map.of())).isEqualTo(403);
        assertThat(handle("GET", "/outbox-admin/", "127.0.0.1", null, Map.of())).isEqualTo(200);
        assertThat(handle("GET", DLQ, "127.0.0.1", null, Map.of("Origin", "http://127.0.0.1:3000")))
                .isEqualTo(200);
        assertThat(handle("GET", DLQ, null, null, Map.of())).isEqualTo(403);
    }

    @Test
    void aPathOfManyPartsIsRefusedQuietly() {
        withTokens();
        try (LogLines log = new LogLines()) {
            String path = "/outbox-admin/" + "a/".repeat(50_000);

            assertThat(handle("GET", path, "127.0.0.1", null, Map.of())).isEqualTo(401);

            assertThat(log.at(Level.SEVERE)).isEmpty();
        }
    }

    @Test
    void behindAProxyNobodyIsServedWithoutATokenOrAUser() {
        fixture.close();
        fixture = AdminFixture.withDeadLetters(OutboxAdmin.Builder::behindProxy);

        var answer = fixture.get(DLQ);
        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.object().get("type").getAsString()).isEqualTo("urn:outbox:problem:behind-proxy");
        assertThat(answer.object().get("detail").getAsString()).contains("set a token", "Spring Security");
        assertThat(fixture.get("/outbox-admin/").status()).isEqualTo(403);
        assertThat(handle("GET", DLQ, "127.0.0.1", new Caller("ann", Set.of(Role.READ)), Map.of()))
                .isEqualTo(200);

        fixture.close();
        fixture = AdminFixture.withDeadLetters(builder -> builder.behindProxy().operateToken(OPERATE));
        assertThat(fixture.send("GET", DLQ, null, "Authorization", "Bearer " + OPERATE)
                        .status())
                .isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "Host, evil.example",
        "Host, localhost.evil.example",
        "X-Forwarded-For, 10.0.0.7",
        "X-Forwarded-Host, shop.example",
        "x-forwarded-proto, https",
        "X-Forwarded-Port, 443",
        "X-Real-IP, 127.0.0.1",
        "Via, 1.1 proxy",
        "Origin, https://evil.example",
        "Origin, http://localhost.evil.example",
        "Origin, null",
        "Forwarded, for=10.0.0.7",
        "X-Forwarded, 10.0.0.7",
        "X-Client-IP, 10.0.0.7",
        "True-Client-IP, 10.0.0.7",
        "CF-Connecting-IP, 10.0.0.7",
        "X-Cluster-Client-IP, 10.0.0.7",
        "Fastly-Client-IP, 10.0.0.7",
        "X-Original-Forwarded-For, 10.0.0.7",
        "X-Original-Host, shop.example",
        "X-Envoy-External-Address, 10.0.0.7",
        "X-Azure-ClientIP, 10.0.0.7",
        "CDN-Loop, cloudflare",
        "l5d-client-id, web.shop"
    })
    void whatOnlySeemsToComeFromThisMachineIsNotServed(String header, String value) {
        assertThat(handle("GET", DLQ, "127.0.0.1", null, Map.of(header, value))).isEqualTo(403);
    }

    @Test
    void tokensHaveRoles() {
        withTokens();
        String id = fixture.writeDead(1).get(0);
        String replay = BASE + "/events/" + id + "/replay";

        assertThat(fixture.get(DLQ).status()).isEqualTo(401);
        assertThat(fixture.get(DLQ).header("WWW-Authenticate")).isEqualTo("Bearer");
        assertThat(fixture.send("GET", DLQ, null, "Authorization", "Bearer wrong")
                        .status())
                .isEqualTo(401);
        assertThat(fixture.send("GET", DLQ, null, "Authorization", "Basic " + READ)
                        .status())
                .isEqualTo(401);
        assertThat(fixture.send("GET", DLQ, null, "Authorization", "Bearer " + READ)
                        .status())
                .isEqualTo(200);
        assertThat(fixture.send("POST", replay, null, "Authorization", "Bearer " + READ)
                        .status())
                .isEqualTo(403);
        assertThat(fixture.send("GET", DLQ, null, "Authorization", "Bearer " + OPERATE)
                        .status())
                .isEqualTo(200);
        assertThat(fixture.send("POST", replay, null, "Authorization", "Bearer " + OPERATE)
                        .status())
                .isEqualTo(204);
    }

    @Test
    void whoMaySeeNothingLearnsNothingOfPathsAndLimits() {
        withTokens();
        String huge = "x".repeat(AdminRequest.MAX_BODY_BYTES + 1);
        assertThat(fixture.send("PUT", DLQ, null).status()).isEqualTo(401);
        assertThat(fixture.send("PUT", DLQ, null).header("Allow")).isNull();
        assertThat(fixture.send("POST", BASE + "/bulk", huge).status()).isEqualTo(401);
        assertThat(fixture.send("POST", BASE + "/unknown", null).status()).isEqualTo(401);
        assertThat(handle("GET", BASE + "/events/%zz", "10.0.0.7", null, Map.of()))
                .isEqualTo(401);
        assertThat(fixture.send("PUT", DLQ, null, "Authorization", "Bearer " + READ)
                        .status())
                .isEqualTo(405);
        assertThat(fixture.send("POST", BASE + "/bulk", huge, "Authorization", "Bearer " + READ)
                        .status())
                .isEqualTo(403);
        assertThat(fixture.send("POST", BASE + "/bulk", huge, "Authorization", "Bearer " + OPERATE)
                        .status())
                .isEqualTo(413);
    }

    @Test
    void whoWasAuthenticatedByTheServerHasItsRoles() {
        Caller reader = new Caller("ann", Set.of(Role.READ));
        Caller nobody = new Caller("bob", Set.of());
        Caller operator = new Caller("eve", Set.of(Role.OPERATE));
        String pause = BASE + "/delivery/pause";

        assertThat(handle("GET", DLQ, "10.0.0.7", reader, Map.of())).isEqualTo(200);
        assertThat(handle("GET", DLQ, "10.0.0.7", nobody, Map.of())).isEqualTo(403);
        assertThat(handle("POST", pause, "10.0.0.7", reader, Map.of())).isEqualTo(403);
        assertThat(handle("POST", pause, "10.0.0.7", operator, Map.of())).isEqualTo(204);
        assertThat(fixture.get(BASE + "/audit")
                        .object()
                        .getAsJsonArray("items")
                        .get(0)
                        .getAsJsonObject()
                        .get("who")
                        .getAsString())
                .isEqualTo("eve");
    }

    @Test
    void pagesOfOtherSitesChangeNothing() {
        Caller operator = new Caller("eve", Set.of(Role.OPERATE));
        String pause = BASE + "/delivery/pause";

        for (Map<String, String> headers : List.of(
                Map.of("Sec-Fetch-Site", "cross-site"),
                Map.of("Sec-Fetch-Site", "same-site"),
                Map.of("Origin", "https://evil.example"),
                Map.of("Origin", "null"))) {
            assertThat(handle("POST", pause, "127.0.0.1", operator, headers))
                    .as("%s", headers)
                    .isEqualTo(403);
        }
        for (Map<String, String> headers : List.of(
                Map.of("Sec-Fetch-Site", "same-origin", "Origin", "http://localhost:8080"),
                Map.of("Sec-Fetch-Site", "none"),
                Map.of("Origin", "http://localhost:8080"))) {
            assertThat(handle("POST", pause, "127.0.0.1", operator, headers))
                    .as("%s", headers)
                    .isEqualTo(204);
        }
    }

    @Test
    void pagesOfOtherSitesReadNothingButMayLinkToTheDashboard() {
        withTokens();
        Caller operator = new Caller("eve", Set.of(Role.OPERATE));
        for (String site : List.of("cross-site", "same-site")) {
            Map<String, String> image = Map.of("Sec-Fetch-Site", site, "Sec-Fetch-Mode", "no-cors");
            Map<String, String> link = Map.of("Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate");
            assertThat(handle("GET", DLQ, "127.0.0.1", operator, image)).isEqualTo(403);
            assertThat(handle("GET", BASE + "/live", "127.0.0.1", operator, image))
                    .isEqualTo(403);
            assertThat(handle("GET", BASE + "/live", "127.0.0.1", operator, link))
                    .isEqualTo(403);
            assertThat(handle("GET", "/outbox-admin/js/app.js", "127.0.0.1", null, image))
                    .isEqualTo(403);
            assertThat(handle("GET", "/outbox-admin/", "127.0.0.1", null, link)).isEqualTo(200);
            assertThat(handle("GET", "/outbox-admin/", "127.0.0.1", operator, link))
                    .isEqualTo(200);
        }
    }

    @Test
    void refusalsAreCountedAndNamedOnceAMinute() {
        withTokens();
        try (LogLines log = new LogLines(Refusals.class)) {
            for (int i = 0; i < 12; i++) {
                assertThat(handle("GET", DLQ, "10.0.0.7", null, Map.of("Authorization", "Bearer wrong")))
                        .isEqualTo(401);
            }
            assertThat(handle("GET", DLQ, "10.0.0.8", null, Map.of())).isEqualTo(401);
            assertThat(handle(
                            "POST",
                            BASE + "/delivery/pause",
                            "10.0.0.9",
                            null,
                            Map.of("Authorization", "Bearer " + READ)))
                    .isEqualTo(403);
            assertThat(fixture.admin.refusals()).isEqualTo(Map.of("unauthorized", 13L, "role-missing", 1L));
            assertThat(log.lines())
                    .hasSize(3)
                    .anyMatch(line -> line.contains("refused 10.0.0.7: unauthorized at GET " + DLQ))
                    .noneMatch(line -> line.contains("wrong") || line.contains(READ));
        }
    }

    @Test
    void metricsAreToldOfRefusalsAndCannotPreventThem() {
        List<String> reasons = new ArrayList<>();
        MetricsExporter metrics = new ForwardingMetrics(MetricsExporter.NOOP) {
            @Override
            public void incrementAdminRefused(String reason) {
                reasons.add(reason);
                throw new IllegalStateException("no registry");
            }
        };
        fixture.close();
        fixture =
                AdminFixture.withDeadLetters(builder -> builder.readToken(READ).series(OutboxSeries.around(metrics)));

        assertThat(handle("GET", DLQ, "10.0.0.7", null, Map.of())).isEqualTo(401);
        assertThat(handle("DELETE", DLQ, "10.0.0.7", null, Map.of("Authorization", "Bearer " + READ)))
                .isEqualTo(403);

        assertThat(reasons).containsExactly("unauthorized", "role-missing");
    }

    @Test
    void browsersAreToldWhatToHeed() {
        for (String path : List.of("/outbox-admin", DLQ, BASE + "/nothing")) {
            var answer = fixture.get(path);
            assertThat(answer.header("Content-Security-Policy"))
                    .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
                    .doesNotContain("unsafe-inline");
            assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
            assertThat(answer.header("X-Frame-Options")).isEqualTo("DENY");
            assertThat(answer.header("Cross-Origin-Resource-Policy")).isEqualTo("same-origin");
            assertThat(answer.header("Cross-Origin-Opener-Policy")).isEqualTo("same-origin");
            assertThat(answer.header("Cache-Control")).isEqualTo("no-store");
            assertThat(answer.header("Access-Control-Allow-Origin")).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/outbox-admin/../openapi.json",
                "/outbox-admin/%2e%2e/openapi.json",
                "/outbox-admin/..%2fopenapi.json",
                "/outbox-admin/.hidden.js",
                "/outbox-admin/missing.js",
                "/outbox-admin/events",
                "/outbox-admin/js",
                "/outbox-admin/js/",
                "/outbox-admin/css",
                "/outbox-admin/index.html/",
                "/outbox-admin/index.class",
                "/outbox-admin/api/unknown",
                "/elsewhere"
            })
    void noFileIsServedButThoseOfTheDashboard(String path) {
        assertThat(handle("GET", path, "127.0.0.1", null, Map.of())).isEqualTo(404);
    }

    @Test
    void theDashboardHasAnAddressThatEndsWithASlash() {
        var answer = fixture.get("/outbox-admin");
        assertThat(answer.status()).isEqualTo(302);
        assertThat(answer.header("Location")).isEqualTo("outbox-admin/");
        assertThat(fixture.get("/outbox-admin/").header("Content-Type")).startsWith("text/html");
        assertThat(fixture.send("HEAD", "/outbox-admin/", null).status()).isEqualTo(200);
    }

    @Test
    void itsFilesAreThereForWhoHasYetToEnterAToken() {
        withTokens();
        assertThat(fixture.get("/outbox-admin/").status()).isEqualTo(200);
        assertThat(fixture.get("/outbox-admin/lib/preact.mjs").header("Content-Type"))
                .startsWith("text/javascript");
        assertThat(fixture.get(BASE + "/session").status()).isEqualTo(401);
        assertThat(fixture.get(BASE + "/unknown").status()).isEqualTo(401);
        assertThat(handle("GET", "/outbox-admin/", "10.0.0.7", new Caller("bob", Set.of()), Map.of()))
                .isEqualTo(403);
    }

    @Test
    void aSessionSaysWhoLooksAndWhatThereIs() {
        withTokens();
        assertThat(fixture.send("GET", BASE + "/session", null, "Authorization", "Bearer " + READ)
                        .response()
                        .body())
                .startsWith("{\"name\":\"read-token\",\"role\":\"READ\",\"orderedByKey\":false,\"deadLetters\":true,"
                        + "\"canResolve\":true,"
                        + "\"hasHistory\":true,\"masked\":false,\"traceUrl\":null,\"node\":\"")
                .endsWith("\",\"cluster\":true,\"clusterProblem\":null}");
        fixture.close();
        fixture = AdminFixture.withDeadLetters(
                builder -> builder.traceUrl("https://traces.example/{traceId}").payloadMask(new PayloadMask() {}));
        assertThat(fixture.get(BASE + "/session").response().body())
                .contains("\"role\":\"OPERATE\"", "\"masked\":true", "\"https://traces.example/{traceId}\"");
    }

    @Test
    void theAuditLogKnowsByTheirTokensWhoDidWhat() {
        fixture.close();
        fixture = AdminFixture.withDeadLetters(builder -> builder.operateToken("ann", "ann-token-0123456789")
                .operateToken("ben", "ben-token-0123456789")
                .readToken("eve", "eve-token-0123456789"));

        assertThat(fixture.send("POST", BASE + "/delivery/pause", null, "Authorization", "Bearer ben-token-0123456789")
                        .status())
                .isEqualTo(204);
        assertThat(fixture.send("POST", BASE + "/delivery/resume", null, "Authorization", "Bearer eve-token-0123456789")
                        .status())
                .isEqualTo(403);
        assertThat(fixture.send("GET", BASE + "/audit", null, "Authorization", "Bearer eve-token-0123456789")
                        .response()
                        .body())
                .contains("\"who\":\"ben\"")
                .doesNotContain("ann", "eve");
    }

    @Test
    void badSettingsAreRefused() {
        OutboxAdmin.Builder builder = OutboxAdmin.of(fixture.outbox);

        assertThatThrownBy(() -> builder.operateToken("short")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder.readToken("with blanks in it, but long"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutboxAdmin.of(fixture.outbox)
                        .readToken(OPERATE)
                        .operateToken(OPERATE)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the same");
        assertThatThrownBy(() -> builder.operateToken(" ", "ann-token-0123456789"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> OutboxAdmin.of(fixture.outbox)
                        .operateToken("ann", OPERATE)
                        .operateToken("ben", OPERATE)
                        .build())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("ann", "ben", "the same");
        assertThatThrownBy(() -> OutboxAdmin.of(fixture.outbox)
                        .operateToken(OPERATE)
                        .operateToken("token", "ann-token-0123456789"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContainingAll("operateToken of token", "choose another name");
        OutboxAdmin.of(fixture.outbox).operateToken("ann", OPERATE).readToken("ann", READ);
        for (String url : List.of("https://traces.example", "javascript:alert('{traceId}')", "/{traceId}")) {
            assertThatThrownBy(() -> builder.traceUrl(url)).as(url).isInstanceOf(IllegalArgumentException.class);
        }
        for (String path : List.of("", "/", "admin", "/admin/", "/ad min", "/../x")) {
            assertThatThrownBy(() -> builder.basePath(path)).as(path).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
