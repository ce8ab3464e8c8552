package io.outbox.spring.boot.internal.settings;

import io.outbox.spring.boot.OutboxProperties;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.springframework.boot.json.JsonParserFactory;

/** What the starter tells editors about its properties; other parts of the class path have such a file too. */
final class EditorMetadata {

    private EditorMetadata() {}

    static Map<String, Object> read() throws IOException {
        URL starter =
                OutboxProperties.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader alone = new URLClassLoader(new URL[] {starter}, null);
                InputStream json = alone.getResourceAsStream("META-INF/spring-configuration-metadata.json")) {
            return JsonParserFactory.getJsonParser().parseMap(new String(json.readAllBytes(), StandardCharsets.UTF_8));
        }
    }
}
