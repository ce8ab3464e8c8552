package io.outbox.spring.boot.internal.texts;

import io.outbox.spring.boot.Outboxed;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.util.ClassUtils;

/** The event types that follow from the classes of payloads. */
public final class OutboxedClasses {

    private static final String EXPRESSION = "#{";
    private static final String PLATFORM = "java.";

    private OutboxedClasses() {}

    /**
     * Returns the type that {@link Outboxed} gives to a class, perhaps with placeholders, or else its simple name;
     * {@code null} if each event of the class computes its own, or if the class, such as {@code String}, says nothing
     * about events.
     */
    public static String typeOf(Class<?> payload) {
        Outboxed annotation = AnnotatedElementUtils.findMergedAnnotation(payload, Outboxed.class);
        String type = annotation == null ? "" : annotation.type();
        if (type.contains(EXPRESSION)) {
            return null;
        }
        if (!type.isEmpty()) {
            return type;
        }
        return payload.isArray() || payload.getPackageName().startsWith(PLATFORM) ? null : payload.getSimpleName();
    }

    /** Returns the former names that {@link Outboxed} gives to the type of a class, perhaps with placeholders. */
    public static List<String> aliasesOf(Class<?> payload) {
        Outboxed annotation = AnnotatedElementUtils.findMergedAnnotation(payload, Outboxed.class);
        return annotation == null ? List.of() : List.of(annotation.aliases());
    }

    /**
     * Returns the version that {@link Outboxed} gives to the payloads of a class, or 0 if it gives none but the first.
     */
    public static int versionOf(Class<?> payload) {
        Outboxed annotation = AnnotatedElementUtils.findMergedAnnotation(payload, Outboxed.class);
        if (annotation == null || annotation.version() == 1) {
            return 0;
        }
        if (annotation.version() < 1) {
            throw new IllegalArgumentException("the version of @Outboxed on " + payload.getName()
                    + " must be at least 1: " + annotation.version());
        }
        return annotation.version();
    }

    /**
     * Returns the classes with {@link Outboxed}, or that inherit it, in the packages of the application, which takes
     * reading the headers of all classes there.
     */
    public static Set<Class<?>> in(ConfigurableListableBeanFactory beans) {
        Set<Class<?>> types = new LinkedHashSet<>();
        if (AutoConfigurationPackages.has(beans)) {
            ClassPathScanningCandidateComponentProvider scanner =
                    new ClassPathScanningCandidateComponentProvider(false);
            scanner.addIncludeFilter(new AnnotationTypeFilter(Outboxed.class, true, true));
            for (String root : AutoConfigurationPackages.get(beans)) {
                for (BeanDefinition found : scanner.findCandidateComponents(root)) {
                    types.add(ClassUtils.resolveClassName(found.getBeanClassName(), beans.getBeanClassLoader()));
                }
            }
        }
        return types;
    }
}
