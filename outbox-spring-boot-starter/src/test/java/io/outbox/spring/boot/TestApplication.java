package io.outbox.spring.boot;

import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;
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

    private static final Pattern SMALL =
            Pattern.compile("io\\.outbox\\..*|.*\\.(aop|context|jackson|jackson2|jdbc|sql|transaction)\\..*");

    /** Leaves out what neither the outbox nor its database needs, such as brokers, the web, Redis and tracing. */
    static final String ONLY_WHAT_THE_OUTBOX_NEEDS = StreamSupport.stream(
                    ImportCandidates.load(AutoConfiguration.class, TestApplication.class.getClassLoader())
                            .spliterator(),
                    false)
            .filter(name -> !SMALL.matcher(name).matches())
            .collect(Collectors.joining(",", "spring.autoconfigure.exclude=", ""));

    /** Returns an application that starts in a tenth of the time, for tests with many. */
    public static ApplicationContextRunner small(Class<?>... configurations) {
        return runner(configurations).withPropertyValues(ONLY_WHAT_THE_OUTBOX_NEEDS);
    }

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
