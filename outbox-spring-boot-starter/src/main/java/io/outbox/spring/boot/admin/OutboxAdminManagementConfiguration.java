package io.outbox.spring.boot.admin;

import io.outbox.admin.OutboxAdmin;
import jakarta.servlet.Servlet;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;

/** Serves the administration at the management port, in the context that Spring Boot makes for that. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnClass({OutboxAdmin.class, Servlet.class, ServletRegistrationBean.class})
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(OutboxAdmin.class)
@ConditionalOnAdminPort(AdminPort.MANAGEMENT)
class OutboxAdminManagementConfiguration {

    @Bean
    ServletRegistrationBean<OutboxAdminServlet> outboxAdminServlet(
            OutboxAdmin admin, OutboxAdminProperties properties) {
        return OutboxAdminServlet.registration(admin, properties);
    }
}
