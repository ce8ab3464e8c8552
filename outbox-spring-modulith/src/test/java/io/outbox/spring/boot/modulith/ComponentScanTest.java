package io.outbox.spring.boot.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.stereotype.Component;

/**
 * An application in our package, or in one above it, finds nothing of ours for its own beans when it scans for
 * components.
 */
class ComponentScanTest {

    @Test
    void findsNothingButTheAutoConfigurationWhichSpringBootLeavesOut() throws IOException {
        List<String> found = new ArrayList<>();
        for (Resource file : new PathMatchingResourcePatternResolver()
                .getResources(OutboxModulithAutoConfiguration.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                        + "**/*.class")) {
            AnnotationMetadata type =
                    new SimpleMetadataReaderFactory().getMetadataReader(file).getAnnotationMetadata();
            if (type.isConcrete() && type.isAnnotated(Component.class.getName())) {
                found.add(type.getClassName());
            }
        }

        assertThat(found).containsExactly(OutboxModulithAutoConfiguration.class.getName());
    }
}
