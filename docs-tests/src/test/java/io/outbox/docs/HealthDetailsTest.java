package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.endpoint.ApiVersion;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebServerNamespace;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.health.actuate.endpoint.CompositeHealthDescriptor;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointGroups;
import org.springframework.boot.health.actuate.endpoint.HealthEndpointWebExtension;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.health.registry.HealthContributorRegistry;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;

/** With the settings that operations.md shows, {@code /actuator/health} has the details of the table on that page. */
class HealthDetailsTest {

    private static final Page PAGE = Page.all().stream()
            .filter(page -> page.name().equals("operations"))
            .findFirst()
            .orElseThrow();

    @Test
    void whoeverAsksForHealthGetsTheDetailsOfTheOutbox() throws Exception {
        Snippet settings = PAGE.snippets().stream()
                .filter(snippet -> snippet.text().contains("show-details"))
                .findFirst()
                .orElseThrow();
        var sources = new YamlPropertySourceLoader()
                .load("settings", new ByteArrayResource(settings.text().getBytes(StandardCharsets.UTF_8)));

        try (ConfigurableApplicationContext application = new SpringApplicationBuilder(
                        SettingsSnippets.Application.class)
                .web(WebApplicationType.NONE)
                .properties("spring.flyway.enabled=false", "spring.liquibase.enabled=false")
                .initializers(
                        context -> sources.forEach(context.getEnvironment().getPropertySources()::addFirst))
                .run()) {
            CompositeHealthDescriptor health = (CompositeHealthDescriptor) new HealthEndpointWebExtension(
                            application.getBean(HealthContributorRegistry.class),
                            null,
                            application.getBean(HealthEndpointGroups.class),
                            Duration.ofSeconds(30))
                    .health(ApiVersion.LATEST, WebServerNamespace.SERVER, SecurityContext.NONE)
                    .getBody();

            IndicatedHealthDescriptor outbox =
                    (IndicatedHealthDescriptor) health.getComponents().get("outbox");
            assertThat(outbox.getDetails()).containsOnlyKeys("outbox");
            Map<?, ?> details = (Map<?, ?>) outbox.getDetails().get("outbox");
            assertThat(details.containsKey("state")).isTrue();
            assertThat(details.containsKey("pending")).isTrue();
            assertThat(details.keySet()).extracting(Object::toString).isSubsetOf(documented());
        }
    }

    private static Set<String> documented() {
        Set<String> names = new TreeSet<>(Set.of("hints"));
        PAGE.text()
                .lines()
                .dropWhile(line -> !line.startsWith("| Detail |"))
                .takeWhile(line -> line.startsWith("|"))
                .map(line -> line.split("\\|")[1])
                .flatMap(cell -> Pattern.compile("`([^`]+)`").matcher(cell).results())
                .forEach(name -> names.add(name.group(1)));
        return names;
    }
}
