package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.OutboxAdminServer;
import io.outbox.admin.PayloadMask;
import io.outbox.model.OutboxEvent;
import io.outbox.spring.boot.admin.OutboxAdminAutoConfiguration;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.json.OutboxJsonAutoConfiguration;
import io.outbox.spring.boot.publishing.OutboxPublisherAutoConfiguration;
import io.outbox.testservers.support.LogLines;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

/** The administration in a servlet application. */
class OutboxAdminTest {

    private static final String ENABLED = "outbox.admin.enabled=true";
    private static final String DLQ = "/api/outbox-dlq/events";

    private static final AutoConfigurations CONFIGURATIONS = AutoConfigurations.of(
            OutboxAutoConfiguration.class,
            OutboxJsonAutoConfiguration.class,
            OutboxPublisherAutoConfiguration.class,
            OutboxAdminAutoConfiguration.class);

    private final WebApplicationContextRunner runner = new WebApplicationContextRunner()
            .withConfiguration(CONFIGURATIONS)
            .withUserConfiguration(PlainApplication.class);

    private static MockHttpServletRequest request(String method, String path) {
        MockHttpServletRequest request = new MockHttpServletRequest(method, path);
        request.addHeader("Host", "localhost:8080");
        request.setRemoteAddr("127.0.0.1");
        return request;
    }

    private static MockHttpServletResponse send(BeanFactory context, MockHttpServletRequest request)
            throws ServletException, IOException {
        MockHttpServletResponse response = new MockHttpServletResponse();
        registration(context).getServlet().service(request, response);
        return response;
    }

    private static ServletRegistrationBean<?> registration(BeanFactory context) {
        return context.getBean("outboxAdminServlet", ServletRegistrationBean.class);
    }

    private static ReactiveWebApplicationContextRunner reactive() {
        return new ReactiveWebApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withUserConfiguration(PlainApplication.class);
    }

    @Test
    void aReactiveApplicationIsToldThatNothingServesIt() {
        reactive()
                .withPropertyValues(ENABLED)
                .run(context -> assertThat(context.getStartupFailure())
                        .hasRootCauseInstanceOf(OutboxStartupException.class)
                        .rootCause()
                        .hasMessageContaining("a reactive application has no servlets")
                        .hasMessageContaining("Set outbox.admin.port=8090"));
        reactive().run(context -> assertThat(context).hasNotFailed());
    }

    static class OwnServer {

        @Bean(destroyMethod = "close")
        OutboxAdminServer server(OutboxAdmin admin) {
            return OutboxAdminServer.start(admin, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        }
    }

    @Test
    void anApplicationWithoutAWebServerIsToldThatNothingServesIt() {
        ApplicationContextRunner withoutServer = new ApplicationContextRunner()
                .withConfiguration(CONFIGURATIONS)
                .withUserConfiguration(PlainApplication.class)
                .withPropertyValues(ENABLED);
        try (LogLines log = new LogLines()) {
            withoutServer
                    .withPropertyValues("outbox.admin.port=0")
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(log.at(Level.WARNING)).noneMatch(line -> line.contains("no web server"));

            withoutServer.run(context -> assertThat(context).hasNotFailed());
            assertThat(log.at(Level.WARNING))
                    .filteredOn(line -> line.contains("no web server"))
                    .singleElement()
                    .asString()
                    .contains("outbox.admin.enabled is true")
                    .contains("outbox.admin.port=8090");
        }
    }

    @Test
    void aReactiveApplicationMayHaveAServerForIt() {
        reactive()
                .withPropertyValues(ENABLED)
                .withUserConfiguration(OwnServer.class)
                .run(context -> {
                    int port =
                            context.getBean(OutboxAdminServer.class).address().getPort();
                    URI uri = URI.create("http://localhost:" + port + "/outbox-admin/api/overview");
                    assertThat(HttpClient.newHttpClient()
                                    .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.discarding())
                                    .statusCode())
                            .isEqualTo(200);
                });
    }

    @Test
    void aPortOfItsOwnServesAnyKindOfApplication() {
        reactive().withPropertyValues(ENABLED, "outbox.admin.port=0").run(context -> {
            InetSocketAddress address = context.getBean(OutboxAdminServer.class).address();
            assertThat(address.getAddress().isLoopbackAddress()).isTrue();
            assertThat(address.getPort()).isPositive();
        });
        runner.withPropertyValues(ENABLED, "outbox.admin.port=0")
                .run(context -> assertThat(context)
                        .hasSingleBean(OutboxAdminServer.class)
                        .doesNotHaveBean("outboxAdminServlet"));
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.admin.port=8o90, 'must be application, management or a port'",
        "outbox.admin.port=70000, 'must be application, management or a port'",
        "outbox.admin.port=management;management.server.port=-1, management.server.port is negative",
        "outbox.admin.port=0;outbox.admin.address=no such host, outbox.admin.address is refused"
    })
    void aPortThatNobodyServesIsRefused(String settings, String message) {
        runner.withPropertyValues(ENABLED)
                .withPropertyValues(settings.split(";"))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(OutboxStartupException.class)
                        .hasMessageContaining(message));
    }

    @Test
    void theManagementPortIsThatOfTheApplicationUnlessItIsAnother() {
        runner.withPropertyValues(ENABLED, "outbox.admin.port=management")
                .run(context ->
                        assertThat(registration(context).getUrlMappings()).contains("/outbox-admin/*"));
    }

    @Test
    void isOffUnlessItIsEnabled() {
        runner.run(context ->
                assertThat(context).doesNotHaveBean(OutboxAdmin.class).doesNotHaveBean(ServletRegistrationBean.class));
    }

    @Test
    void servesThisMachineWithoutASecret() {
        runner.withPropertyValues(ENABLED, "outbox.publisher.dlq.enabled=true").run(context -> {
            assertThat(registration(context).getUrlMappings()).containsExactly("/outbox-admin/*", "/api/outbox-dlq/*");
            MockHttpServletResponse response = send(context, request("GET", DLQ));
            assertThat(response.getStatus()).isEqualTo(200);
            assertThat(response.getContentType()).isEqualTo("application/json");
            assertThat(response.getContentAsString()).isEqualTo("[]");
            assertThat(response.getHeader("X-Content-Type-Options")).isEqualTo("nosniff");

            MockHttpServletRequest foreign = request("GET", DLQ);
            foreign.setRemoteAddr("10.0.0.7");
            assertThat(send(context, foreign).getStatus()).isEqualTo(403);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop.example", "localhost", "999.0.0.1", "::g", "1::2::3", ""})
    void anAddressThatIsNoneIsNeitherLookedUpNorServed(String address) {
        runner.withPropertyValues(ENABLED).run(context -> {
            MockHttpServletRequest request = request("GET", "/outbox-admin/api/overview");
            request.setRemoteAddr(address);
            assertThat(send(context, request).getStatus()).isEqualTo(403);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "0:0:0:0:0:0:0:1%0", "::ffff:127.0.0.1"})
    void addressesOfThisMachineHaveManyForms(String address) {
        runner.withPropertyValues(ENABLED).run(context -> {
            MockHttpServletRequest request = request("GET", "/outbox-admin/api/overview");
            request.setRemoteAddr(address);
            assertThat(send(context, request).getStatus()).isEqualTo(200);
        });
    }

    @ParameterizedTest
    @CsvSource({
        "none, A proxy on this machine that adds no header looks local",
        "framework, it answers only users whom the server has authenticated"
    })
    void theLogSaysWhoIsServedWithoutAToken(String strategy, String line) {
        Logger logger = Logger.getLogger(OutboxAdmin.class.getName());
        logger.setLevel(Level.INFO);
        try (LogLines log = new LogLines()) {
            runner.withPropertyValues(ENABLED, "server.forward-headers-strategy=" + strategy)
                    .run(context -> assertThat(log.at(Level.INFO)).anyMatch(each -> each.contains(line)));
        } finally {
            logger.setLevel(null);
        }
    }

    @Test
    void hasNoDeadLettersWithoutTheQueue() {
        runner.withPropertyValues(ENABLED).run(context -> {
            assertThat(send(context, request("GET", DLQ)).getStatus()).isEqualTo(404);
            assertThat(send(context, request("GET", "/outbox-admin/api/overview"))
                            .getStatus())
                    .isEqualTo(200);
        });
    }

    @ParameterizedTest
    @CsvSource({"OUTBOX_READ, 200, 403", "OUTBOX_OPERATE, 200, 204", "SOMETHING_ELSE, 403, 403"})
    void aUserOfTheContainerHasItsRoles(String role, int reads, int operates) {
        runner.withPropertyValues(ENABLED).run(context -> {
            assertThat(send(context, as(role, request("GET", "/outbox-admin/api/events")))
                            .getStatus())
                    .isEqualTo(reads);
            assertThat(send(context, as(role, request("POST", "/outbox-admin/api/delivery/pause")))
                            .getStatus())
                    .isEqualTo(operates);
        });
    }

    private static MockHttpServletRequest as(String role, MockHttpServletRequest request) {
        Principal user = () -> "ann";
        request.setUserPrincipal(user);
        request.addUserRole(role);
        request.setRemoteAddr("10.0.0.7");
        return request;
    }

    @Test
    void takesATokenAndAnotherPath() {
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.admin.base-path=/ops",
                        "outbox.admin.token=operate-0123456789",
                        "outbox.admin.read-token=read-0123456789ab")
                .run(context -> {
                    assertThat(registration(context).getUrlMappings()).containsExactly("/ops/*", "/api/outbox-dlq/*");
                    MockHttpServletRequest without = request("GET", "/ops/api/nodes");
                    assertThat(send(context, without).getStatus()).isEqualTo(401);
                    MockHttpServletRequest with = request("GET", "/ops/api/nodes");
                    with.addHeader("Authorization", "Bearer read-0123456789ab");
                    assertThat(send(context, with).getStatus()).isEqualTo(200);
                });
    }

    @Test
    void answersBelowTheContextPath() {
        runner.withPropertyValues(ENABLED).run(context -> {
            MockHttpServletRequest request = request("GET", "/shop/outbox-admin/api/nodes");
            request.setContextPath("/shop");
            assertThat(send(context, request).getStatus()).isEqualTo(200);
        });
    }

    @Test
    void streamsHoldNoThreadOfTheContainerAndEndBeforeItWaitsForThem() {
        runner.withPropertyValues(ENABLED).run(context -> {
            MockHttpServletRequest request = request("GET", "/outbox-admin/api/live");
            request.setAsyncSupported(true);
            MockHttpServletResponse response = send(context, request);
            assertThat(response.getContentType()).isEqualTo("text/event-stream");
            CountDownLatch completed = new CountDownLatch(1);
            request.getAsyncContext().addListener(new Completion(completed));
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> response.getContentAsString().startsWith("event: update\ndata: {"));

            context.publishEvent(new ContextClosedEvent(context.getSourceApplicationContext()));
            assertThat(completed.await(60, TimeUnit.SECONDS)).isTrue();
        });
    }

    /** Tells when a stream is over. */
    private record Completion(CountDownLatch completed) implements AsyncListener {

        @Override
        public void onComplete(AsyncEvent event) {
            completed.countDown();
        }

        @Override
        public void onTimeout(AsyncEvent event) {}

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }

    @Test
    void whereStreamsCannotBeAsynchronousThereAreNone() {
        runner.withPropertyValues(ENABLED).run(context -> {
            MockHttpServletResponse response = send(context, request("GET", "/outbox-admin/api/live"));
            assertThat(response.getStatus()).isEqualTo(200);
            assertThat(response.getContentAsString()).isEmpty();
        });
    }

    @Test
    void linksToTraces() {
        runner.withPropertyValues(ENABLED, "outbox.admin.trace-url=https://traces.example/{traceId}")
                .run(context -> assertThat(send(context, request("GET", "/outbox-admin/api/session"))
                                .getContentAsString())
                        .contains("https://traces.example/{traceId}"));
    }

    static class Masked {

        @Bean
        PayloadMask mask() {
            return new PayloadMask() {
                @Override
                public String payload(OutboxEvent event, String payload) {
                    return "hidden";
                }
            };
        }
    }

    @Test
    void masksWhatTheApplicationHides() {
        runner.withUserConfiguration(Masked.class).withPropertyValues(ENABLED).run(context -> {
            Deliveries.write(context, "Placed", "secret");
            String page = send(context, request("GET", "/outbox-admin/api/events"))
                    .getContentAsString(StandardCharsets.UTF_8);
            Matcher id = Pattern.compile("\"id\":\"([^\"]+)\"").matcher(page);
            assertThat(id.find()).isTrue();
            assertThat(send(context, request("GET", "/outbox-admin/api/events/" + id.group(1)))
                            .getContentAsString(StandardCharsets.UTF_8))
                    .contains("\"payload\":\"hidden\"")
                    .doesNotContain("secret");
        });
    }

    @Test
    void recordsWhatTheOutboxDoes() {
        runner.withPropertyValues(ENABLED)
                .run(context -> assertThat(send(context, request("GET", "/outbox-admin/api/nodes"))
                                .getContentAsString())
                        .contains("\"state\":\"UP\"", "\"donePerSecond\":0.0"));
    }

    @Test
    void aNodeHasANameAndMayKeepToItself() {
        runner.withPropertyValues(ENABLED, "outbox.admin.node-name=shop-1")
                .run(context -> assertThat(send(context, request("GET", "/outbox-admin/api/session"))
                                .getContentAsString())
                        .contains("\"node\":\"shop-1\"", "\"cluster\":true"));
        runner.withPropertyValues(ENABLED, "outbox.admin.cluster=false")
                .run(context -> assertThat(send(context, request("GET", "/outbox-admin/api/session"))
                                .getContentAsString())
                        .contains("\"cluster\":false", "\"clusterProblem\":null"));
    }

    @ParameterizedTest
    @CsvSource({
        "outbox.admin.base-path=admin, basePath",
        "outbox.admin.token=short, operateToken",
        "outbox.admin.token=, variable that is missing",
        "outbox.admin.read-token=short, readToken",
        "outbox.admin.tokens.ann=short, operateToken of ann",
        "outbox.admin.read-tokens.ben=short, readToken of ben",
        "outbox.admin.trace-url=https://traces.example, traceUrl",
        "outbox.admin.node-name=, nodeName"
    })
    void refusesBadSettingsByTheirKeys(String property, String named) {
        runner.withPropertyValues(ENABLED, property)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(OutboxStartupException.class)
                        .hasMessageContaining(property.substring(0, property.indexOf('=')))
                        .hasMessageContaining(named));
    }

    private static String session(BeanFactory context, String token) throws Exception {
        MockHttpServletRequest request = request("GET", "/outbox-admin/api/session");
        request.addHeader("Authorization", "Bearer " + token);
        return send(context, request).getContentAsString();
    }

    @Test
    void knowsWhoHasWhichToken() {
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.admin.tokens.ann=ann-0123456789abcd",
                        "outbox.admin.read-tokens.ben=ben-0123456789abcd")
                .run(context -> {
                    assertThat(session(context, "ann-0123456789abcd"))
                            .contains("\"name\":\"ann\"", "\"role\":\"OPERATE\"");
                    assertThat(session(context, "ben-0123456789abcd"))
                            .contains("\"name\":\"ben\"", "\"role\":\"READ\"");
                });
        runner.withPropertyValues(
                        ENABLED,
                        "outbox.admin.read-token=read-0123456789abc",
                        "outbox.admin.tokens.ann=read-0123456789abc")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContainingAll("outbox.admin.read-token", "outbox.admin.tokens.ann"));
    }

    @Test
    void refusesTokensThatAreTheSame() {
        runner.withPropertyValues(
                        ENABLED, "outbox.admin.token=operate-0123456789", "outbox.admin.read-token=operate-0123456789")
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isInstanceOf(OutboxStartupException.class)
                        .hasMessageContaining("outbox.admin.read-token"));
    }

    @Test
    void refusesSettingsThatDoNotExist() {
        runner.withPropertyValues(ENABLED, "outbox.admin.token-of=x")
                .run(context -> assertThat(context.getStartupFailure()).hasStackTraceContaining("outbox.admin"));
    }
}
