package io.outbox.spring.boot.admin;

import io.outbox.Outbox;
import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.OutboxAdminServer;
import io.outbox.admin.PayloadMask;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import jakarta.servlet.Servlet;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnNotWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the administration over HTTP, where {@code outbox.admin.enabled} says so, for one outbox: in a
 * servlet application at its port or at that of its management, in any application at a separate port. An application
 * with several outboxes declares an {@link OutboxAdmin} for the one that it means.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(OutboxAdmin.class)
@ConditionalOnProperty(name = "outbox.admin.enabled")
@ConditionalOnOutboxEnabled
@EnableConfigurationProperties(OutboxAdminProperties.class)
@Import({OutboxAdminAutoConfiguration.WithoutWebServer.class, OutboxAdminAutoConfiguration.WithoutServlets.class})
public class OutboxAdminAutoConfiguration {

    @Bean
    RecordedSeries outboxRecordedSeries() {
        return new RecordedSeries();
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnSingleCandidate(Outbox.class)
    @ConditionalOnMissingBean
    OutboxAdmin outboxAdmin(
            Outbox outbox,
            OutboxAdminProperties properties,
            RecordedSeries series,
            ObjectProvider<PayloadMask> mask,
            Environment environment) {
        AdminPort.check(environment);
        OutboxAdmin.Builder builder = OutboxAdmin.of(outbox);
        set("base-path", properties.getBasePath(), builder::basePath);
        set("token", properties.getToken(), builder::operateToken);
        set("read-token", properties.getReadToken(), builder::readToken);
        properties
                .getTokens()
                .forEach((name, token) -> set("tokens." + name, token, it -> builder.operateToken(name, it)));
        properties
                .getReadTokens()
                .forEach((name, token) -> set("read-tokens." + name, token, it -> builder.readToken(name, it)));
        set("trace-url", properties.getTraceUrl(), builder::traceUrl);
        set("node-name", properties.getNodeName(), builder::nodeName);
        if (!properties.isCluster()) {
            builder.alone();
        }
        requireDifferentTokens(properties);
        if (ForwardedHeaders.areHeeded(environment)) {
            builder.behindProxy();
        }
        series.of(outbox).ifPresent(builder::series);
        mask.ifUnique(builder::payloadMask);
        return builder.build();
    }

    private static void requireDifferentTokens(OutboxAdminProperties properties) {
        Map<String, String> all = new LinkedHashMap<>();
        all.put("token", properties.getToken());
        all.put("read-token", properties.getReadToken());
        properties.getTokens().forEach((name, token) -> all.put("tokens." + name, token));
        properties.getReadTokens().forEach((name, token) -> all.put("read-tokens." + name, token));
        Map<String, String> keys = new HashMap<>();
        all.forEach((key, token) -> {
            String other = token == null ? null : keys.put(token, key);
            if (other != null) {
                throw new OutboxStartupException(
                        "outbox.admin." + other + " and outbox.admin." + key
                                + " are the same, so readers and operators could not be told apart",
                        "Use two different tokens");
            }
        });
    }

    private static void set(String key, String value, Consumer<String> setter) {
        if (value != null) {
            try {
                setter.accept(value);
            } catch (IllegalArgumentException | IllegalStateException e) {
                throw new OutboxStartupException(
                        "outbox.admin." + key + " is refused: " + e.getMessage(),
                        value.isEmpty()
                                ? "It is set to nothing, perhaps by a variable that is missing: set it, or remove the"
                                        + " key"
                                : "Change outbox.admin." + key + ", or remove it");
            }
        }
    }

    /**
     * Says that it is not clear which outbox is meant; before anything asks for the administration that is then
     * missing.
     */
    @Conditional(OnSeveralOutboxes.class)
    @ConditionalOnMissingBean({OutboxAdmin.class, OutboxAdminServer.class})
    static class WhichOutbox {

        @Bean
        WhichOutbox outboxOfAdministration(Map<String, Outbox> outboxes) {
            throw new OutboxStartupException(
                    "outbox.admin.enabled is true, and the administration is for one outbox, but there are several: "
                            + new TreeSet<>(outboxes.keySet()),
                    "Define a bean of type OutboxAdmin for the one that you mean: OutboxAdmin.of(outbox).build()."
                            + System.lineSeparator()
                            + "For each other one, define a bean of type OutboxAdminServer, which serves it at its own"
                            + " port."
                            + System.lineSeparator()
                            + "Or remove outbox.admin.enabled");
        }
    }

    static class OnSeveralOutboxes extends NoneNestedConditions {

        OnSeveralOutboxes() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnMissingBean(Outbox.class)
        static class None {}

        @ConditionalOnSingleCandidate(Outbox.class)
        static class One {}
    }

    @ConditionalOnClass({Servlet.class, ServletRegistrationBean.class})
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class Web {

        @Bean
        EndOfStreams outboxAdminEndOfStreams(OutboxAdmin admin, ApplicationContext context) {
            return new EndOfStreams(admin, context);
        }

        @Bean
        @ConditionalOnAdminPort(AdminPort.APPLICATION)
        ServletRegistrationBean<OutboxAdminServlet> outboxAdminServlet(
                OutboxAdmin admin, OutboxAdminProperties properties) {
            return OutboxAdminServlet.registration(admin, properties);
        }
    }

    /** The JDK's server, in applications of any kind. */
    @ConditionalOnAdminPort(AdminPort.OWN)
    static class OwnPort {

        @Bean(destroyMethod = "close")
        @ConditionalOnMissingBean
        OutboxAdminServer outboxAdminServer(OutboxAdmin admin, OutboxAdminProperties properties) {
            InetSocketAddress address =
                    new InetSocketAddress(properties.getAddress(), AdminPort.number(properties.getPort()));
            if (address.isUnresolved()) {
                throw new OutboxStartupException(
                        "outbox.admin.address is refused: no such host: " + properties.getAddress(),
                        "Change outbox.admin.address, or remove it");
            }
            return OutboxAdminServer.start(admin, address);
        }
    }

    /** Says that nobody is served; perhaps the application passes requests on itself. */
    @ConditionalOnNotWebApplication
    @ConditionalOnMissingBean(OutboxAdminServer.class)
    @ConditionalOnAdminPort({AdminPort.APPLICATION, AdminPort.MANAGEMENT})
    static class WithoutWebServer {
        WithoutWebServer() {
            System.getLogger("io.outbox.admin")
                    .log(
                            System.Logger.Level.WARNING,
                            "outbox.admin.enabled is true, but the application has no web server, so nothing serves"
                                    + " the administration: set outbox.admin.port=8090, and the JDK's own server does so"
                                    + " at that port, or remove outbox.admin.enabled");
        }
    }

    /** Says that nobody would be served. An administration or a server of the application's own is its own matter. */
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnMissingBean({OutboxAdmin.class, OutboxAdminServer.class})
    @ConditionalOnAdminPort({AdminPort.APPLICATION, AdminPort.MANAGEMENT})
    static class WithoutServlets {
        WithoutServlets() {
            throw new OutboxStartupException(
                    "outbox.admin.enabled is true, but a reactive application has no servlets, neither at its own port"
                            + " nor at that of its management, so nothing serves the administration of the outbox",
                    "Set outbox.admin.port=8090: the JDK's own server then serves it, at that port of this machine."
                            + System.lineSeparator()
                            + "Or remove outbox.admin.enabled");
        }
    }
}
