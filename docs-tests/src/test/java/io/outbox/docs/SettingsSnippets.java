package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.spring.boot.OutboxListener;
import io.outbox.testservers.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ClassPathScanningCandidateComponentProvider;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.core.type.filter.AnnotationTypeFilter;
import org.springframework.modulith.events.support.EventExternalizationTransport;
import org.springframework.util.ClassUtils;

/**
 * Checks settings: each of the outbox's is bound by one of its classes of properties, each other one is in the metadata
 * of a library, and an application starts with all of them, on the database that the fence names or on H2. That of a
 * quick start is started there.
 */
final class SettingsSnippets {

    private static final ConfigurationPropertyName OUTBOX = ConfigurationPropertyName.of("outbox");
    private static final Pattern NAME_IN_METADATA = Pattern.compile("\"name\": *\"([a-z0-9.-]+)\"");

    private SettingsSnippets() {}

    static void check(Snippet snippet) throws Exception {
        List<PropertySource<?>> sources = load(snippet);
        for (ConfigurationPropertySource source : ConfigurationPropertySources.from(sources)) {
            List<ConfigurationPropertyName> names =
                    ((IterableConfigurationPropertySource) source).stream().toList();
            assertThat(names).isNotEmpty();
            Set<ConfigurationPropertyName> bound = bind(source);
            Set<String> known = namesInMetadata();
            assertThat(names)
                    .as("keys that take effect")
                    .allMatch(name -> OUTBOX.isAncestorOf(name) ? bound.contains(name) : isKnown(name, known));
        }
        if (!snippet.isPartOfAQuickStart()) {
            start(sources, database(snippet));
        }
    }

    private static List<PropertySource<?>> load(Snippet snippet) throws IOException {
        Resource resource = new ByteArrayResource(snippet.text().getBytes(StandardCharsets.UTF_8));
        return snippet.language().equals("yaml")
                ? new YamlPropertySourceLoader().load("snippet", resource)
                : new PropertiesPropertySourceLoader().load("snippet", resource);
    }

    /** Binds all properties of the outbox, and returns the names of those that found their place. */
    private static Set<ConfigurationPropertyName> bind(ConfigurationPropertySource source) throws Exception {
        Set<ConfigurationPropertyName> bound = new HashSet<>();
        AbstractBindHandler recorder = new AbstractBindHandler() {
            @Override
            public Object onSuccess(
                    ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
                bound.add(name);
                return result;
            }
        };
        ClassPathScanningCandidateComponentProvider scanner = new ClassPathScanningCandidateComponentProvider(false);
        scanner.addIncludeFilter(new AnnotationTypeFilter(ConfigurationProperties.class));
        for (BeanDefinition properties : scanner.findCandidateComponents("io.outbox")) {
            Class<?> type = ClassUtils.forName(properties.getBeanClassName(), null);
            String prefix = AnnotatedElementUtils.findMergedAnnotation(type, ConfigurationProperties.class)
                    .prefix();
            new Binder(source).bind(prefix, Bindable.of(type), recorder);
        }
        return bound;
    }

    /** Whether the name is a property, or in a map that is one. */
    private static boolean isKnown(ConfigurationPropertyName name, Set<String> known) {
        return Stream.iterate(name, part -> !part.isEmpty(), ConfigurationPropertyName::getParent)
                .anyMatch(part -> known.contains(part.toString()));
    }

    private static Set<String> namesInMetadata() throws IOException {
        Set<String> names = new HashSet<>();
        for (URL metadata : Collections.list(
                SettingsSnippets.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            try (InputStream json = metadata.openStream()) {
                String text = new String(json.readAllBytes(), StandardCharsets.UTF_8);
                int properties = text.indexOf("\"properties\"");
                Matcher name = NAME_IN_METADATA.matcher(text.substring(Math.max(properties, 0)));
                while (name.find()) {
                    names.add(name.group(1));
                }
            }
        }
        return names;
    }

    /** Starts an application; a migration tool and a listener take part if there are settings for them. */
    static void start(List<PropertySource<?>> sources) {
        start(sources, Map.of());
    }

    /** Returns where the database is that the fence names; otherwise it is the embedded one. */
    private static Map<String, Object> database(Snippet snippet) {
        for (String word : snippet.words()) {
            if (SqlSnippets.DATABASES.containsKey(word)) {
                String url = SqlSnippets.DATABASES.get(word).get();
                return Map.of("spring.datasource.url", url, "outbox.schema.initialize", "always");
            }
        }
        return Map.of();
    }

    private static void start(List<PropertySource<?>> sources, Map<String, Object> database) {
        if (!haveSettingsOf("spring.data.redis", sources)) {
            run(sources, database);
            return;
        }
        try (RedisServer server = RedisServer.start("--appendonly", "yes")) {
            run(
                    sources,
                    Map.of("spring.data.redis.port", server.port(), "spring.data.redis.password", server.password()));
        }
    }

    private static void run(List<PropertySource<?>> sources, Map<String, Object> servers) {
        List<PropertySource<?>> reversed = new ArrayList<>(sources);
        Collections.reverse(reversed);
        reversed.add(new MapPropertySource("servers", servers));
        SpringApplicationBuilder builder = new SpringApplicationBuilder(Application.class);
        if (haveSettingsOf("outbox.listeners", sources)) {
            builder.sources(NamedListener.class);
        }
        if (haveSettingsOf("spring.modulith", sources)) {
            builder.sources(ModulithTransport.class);
        }
        try (ConfigurableApplicationContext application = builder.web(WebApplicationType.NONE)
                .properties(
                        "spring.flyway.enabled=" + haveSettingsOf("spring.flyway", sources),
                        "spring.liquibase.enabled=" + haveSettingsOf("spring.liquibase", sources))
                .initializers(
                        context -> reversed.forEach(context.getEnvironment().getPropertySources()::addFirst))
                .run()) {
            assertThat(application.isActive()).isTrue();
        }
    }

    private static boolean haveSettingsOf(String prefix, List<PropertySource<?>> sources) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(prefix);
        return StreamSupport.stream(ConfigurationPropertySources.from(sources).spliterator(), false)
                .anyMatch(source -> source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT);
    }

    /** The listener whose settings the pages show. */
    static class NamedListener {

        @OutboxListener(name = "invoices", eventType = "OrderPlaced")
        void on(String payload) {
            // nothing is written
        }
    }

    /** Where Spring Modulith would send events. */
    static class ModulithTransport {

        @Bean
        EventExternalizationTransport transport() {
            return (payload, target) -> CompletableFuture.completedFuture(payload);
        }
    }

    /** An application with an embedded database and brokers that are not there. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
