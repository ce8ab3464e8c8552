package io.outbox.spring.boot;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.boot.autoconfigure.AutoConfigurationImportSelector;
import org.springframework.core.annotation.AnnotationAttributes;
import org.springframework.core.type.AnnotationMetadata;

/**
 * What {@link EnableOutbox} imports: the auto-configurations of the outbox that Spring Boot would find, in the same
 * order and after all else, since their conditions ask for beans that others define. Where Spring Boot finds them as
 * well, they are imported once, and its exclusions count.
 */
final class OutboxConfigurations extends AutoConfigurationImportSelector {

    private static final String OURS = EnableOutbox.class.getPackageName() + ".";

    @Override
    protected Class<?> getAnnotationClass() {
        return EnableOutbox.class;
    }

    @Override
    protected List<String> getCandidateConfigurations(AnnotationMetadata metadata, AnnotationAttributes attributes) {
        return super.getCandidateConfigurations(metadata, attributes).stream()
                .filter(name -> name.startsWith(OURS))
                .toList();
    }

    /** The annotation has no attributes to exclude anything; {@code spring.autoconfigure.exclude} counts. */
    @Override
    protected Set<String> getExclusions(AnnotationMetadata metadata, AnnotationAttributes attributes) {
        return getExcludeAutoConfigurationsProperty().stream()
                .filter(name -> name.startsWith(OURS))
                .collect(Collectors.toSet());
    }
}
