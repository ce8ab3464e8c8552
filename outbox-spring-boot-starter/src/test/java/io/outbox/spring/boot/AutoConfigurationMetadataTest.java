package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

/**
 * Spring Boot reads order and conditions of auto-configurations from a file, and so need not load those that do not
 * apply.
 */
class AutoConfigurationMetadataTest {

    @Test
    void everyAutoConfigurationIsNamedInTheMetadata() throws IOException {
        Properties metadata = new Properties();
        for (URL file : Collections.list(
                getClass().getClassLoader().getResources("META-INF/spring-autoconfigure-metadata.properties"))) {
            try (InputStream text = file.openStream()) {
                metadata.load(text);
            }
        }

        assertThat(metadata.stringPropertyNames()).contains(OutboxAutoConfiguration.class.getName());
        assertThat(ImportCandidates.load(AutoConfiguration.class, getClass().getClassLoader()))
                .filteredOn(name -> name.startsWith("io.outbox."))
                .contains(OutboxAutoConfiguration.class.getName())
                .isSubsetOf(metadata.stringPropertyNames());
    }
}
