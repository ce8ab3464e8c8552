package io.outbox.spring.boot.admin;

import io.outbox.Outbox;
import io.outbox.admin.OutboxAdmin;
import io.outbox.admin.OutboxAdminServer;
import io.outbox.admin.PayloadMask;
import io.outbox.admin.Role;
import io.outbox.spring.boot.OutboxAutoConfiguration;
import io.outbox.spring.boot.internal.failures.OutboxStartupException;
import io.outbox.spring.boot.internal.settings.ConditionalOnOutboxEnabled;
import jakarta.servlet.Servlet;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Auto-configuration of the administration over HTTP, where {@code outbox.admin.enabled} says so: in a servlet application, and
 * for one outbox. An application with several declares an {@link OutboxAdmin} for the one that it means, and a reactive one
 * an {@link OutboxAdminServer}.
 */
@AutoConfiguration(after = OutboxAutoConfiguration.class)
@ConditionalOnClass(OutboxAdmin.class)
@ConditionalOnProperty(name = "outbox.admin.enabled")
@ConditionalOnOutboxEnabled
@EnableConfigurationProperties(OutboxAdminProperties.class)
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
        OutboxAdmin.Builder builder = OutboxAdmin.of(outbox);
        set("base-path", properties.getBasePath(), builder::basePath);
        set("token", properties.getToken(), builder::operateToken);
        set("read-token", properties.getReadToken(), builder::readToken);
        set("trace-url", properties.getTraceUrl(), builder::traceUrl);
        set("node-name", properties.getNodeName(), builder::nodeName);
        if (!properties.isCluster()) {
            builder.alone();
        }
        if (properties.getToken() != null && properties.getToken().equals(properties.getReadToken())) {
            throw new OutboxStartupException(
                    "outbox.admin.token and outbox.admin.read-token are the same, so whoever may only look could do everything",
                    "Use two different tokens");
        }
        if (ForwardedHeaders.areHeeded(environment)) {
            builder.behindProxy();
        }
        series.of(outbox).ifPresent(builder::series);
        mask.ifUnique(builder::payloadMask);
        return builder.build();
    }

    private static void set(String key, String value, Consumer<String> setter) {
        if (value != null) {
            try {
                setter.accept(value);
            } catch (IllegalArgumentException e) {
                throw new OutboxStartupException(
                        "outbox.admin." + key + " is refused: " + e.getMessage(),
                        value.isEmpty()
                                ? "It is set to nothing, perhaps by a variable that is missing: set it, or remove the key"
                                : "Change outbox.admin." + key + ", or remove it");
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Servlet.class, ServletRegistrationBean.class})
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class Web {

        @Bean
        EndOfStreams outboxAdminEndOfStreams(OutboxAdmin admin, ApplicationContext context) {
            return new EndOfStreams(admin, context);
        }

        @Bean
        ServletRegistrationBean<OutboxAdminServlet> outboxAdminServlet(
                OutboxAdmin admin, OutboxAdminProperties properties) {
            ServletRegistrationBean<OutboxAdminServlet> registration = new ServletRegistrationBean<>(
                    new OutboxAdminServlet(
                            admin,
                            Map.of(
                                    Role.READ, properties.getReadRole(),
                                    Role.OPERATE, properties.getOperateRole())),
                    admin.basePath() + "/*",
                    OutboxAdmin.DLQ_PATH + "/*");
            registration.setName("outboxAdmin");
            return registration;
        }
    }

    /** Says that nobody would be served. An administration or a server of the application's own is its own matter. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnMissingBean({OutboxAdmin.class, OutboxAdminServer.class})
    static class WithoutServlets {
        WithoutServlets() {
            throw new OutboxStartupException(
                    "outbox.admin.enabled is true, but a reactive application has no servlets, so nothing serves the"
                            + " administration of the outbox",
                    "Let the JDK's own server do it, by a bean that OutboxAdminServer.start makes from the OutboxAdmin;"
                            + " or remove outbox.admin.enabled");
        }
    }
}
