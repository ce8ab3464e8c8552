package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.core.type.classreading.MetadataReaderFactory;
import org.springframework.core.type.classreading.SimpleMetadataReaderFactory;
import org.springframework.stereotype.Component;

/**
 * An application, or a test, whose own package is ours or one above it scans our classes too. What it finds there it
 * takes for its own beans, without the conditions of the auto-configuration that imports them; so there must be nothing
 * to find.
 */
class ComponentScanTest {

    @Test
    void findsNothingButWhatSpringBootLeavesOut() throws Exception {
        Path starter = Path.of(OutboxProperties.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());

        List<AnnotationMetadata> found;
        if (Files.isDirectory(starter)) {
            found = componentsIn(starter);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(starter)) {
                found = componentsIn(jar.getPath("/"));
            }
        }

        assertThat(found).isNotEmpty().allMatch(ComponentScanTest::isLeftOut);
    }

    private static List<AnnotationMetadata> componentsIn(Path classes) throws IOException {
        try (Stream<Path> files = Files.walk(classes)) {
            return files.filter(file -> file.toString().endsWith(".class"))
                    .map(ComponentScanTest::read)
                    .filter(type -> type.isConcrete() && type.isAnnotated(Component.class.getName()))
                    .toList();
        }
    }

    private static boolean isLeftOut(AnnotationMetadata type) {
        return type.isAnnotated(AutoConfiguration.class.getName())
                || type.isAnnotated(ManagementContextConfiguration.class.getName());
    }

    private static AnnotationMetadata read(Path file) {
        MetadataReaderFactory readers = new SimpleMetadataReaderFactory();
        try {
            return readers.getMetadataReader(new ByteArrayResource(Files.readAllBytes(file)))
                    .getAnnotationMetadata();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
