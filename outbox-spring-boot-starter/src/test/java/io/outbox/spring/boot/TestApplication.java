package io.outbox.spring.boot;

import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** An application with an embedded database and everything on the class path except JPA. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration(
        excludeName = {
            "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
            "org.springframework.boot.autoconfigure.data.jpa.JpaRepositoriesAutoConfiguration"
        })
public class TestApplication {

    public static ApplicationContextRunner runner(Class<?>... configurations) {
        return withoutSettings(configurations)
                .withPropertyValues("outbox.poller.interval-ms=100", "outbox.retry.base-delay-ms=10");
    }

    /** Returns an application that may have no outbox, and would be warned of settings for one. */
    public static ApplicationContextRunner withoutSettings(Class<?>... configurations) {
        return new ApplicationContextRunner()
                .withUserConfiguration(TestApplication.class)
                .withUserConfiguration(configurations);
    }
}
