package io.outbox.spring.boot.internal.texts;

import java.util.List;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.stereotype.Component;

/**
 * Which classes of beans are worth a look for annotations of the outbox: all but those of Spring itself. An application
 * may have a package that begins like Spring's; its components, and what is in its packages, are not Spring's.
 */
public final class ApplicationClasses {

    private static final String SPRING = "org.springframework.";

    private final List<String> packages;

    private ApplicationClasses(List<String> packages) {
        this.packages = packages;
    }

    public static ApplicationClasses of(BeanFactory beans) {
        return new ApplicationClasses(
                AutoConfigurationPackages.has(beans) ? AutoConfigurationPackages.get(beans) : List.of());
    }

    /** Returns whether a class may be one of the application, or of a library that it uses. */
    public boolean include(Class<?> type) {
        String name = type.getName();
        return !name.startsWith(SPRING)
                || packages.stream().anyMatch(root -> name.startsWith(root + "."))
                || AnnotatedElementUtils.hasAnnotation(type, Component.class);
    }
}
