package io.outbox.spring.boot;

import static io.outbox.spring.boot.Deliveries.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.UnrecoverableException;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The dashboard of the documentation asks for meters that there are. */
class GrafanaDashboardTest {

    private static final Pattern METER = Pattern.compile("\\$\\{prefix}_([a-z_]+)");

    private JsonNode dashboard;

    @BeforeEach
    void read() throws IOException {
        dashboard = new ObjectMapper().readTree(new File("../docs/grafana/outbox.json"));
    }

    private List<JsonNode> panels() {
        List<JsonNode> panels = new ArrayList<>();
        dashboard.get("panels").forEach(panels::add);
        assertThat(panels).isNotEmpty();
        return panels;
    }

    private Set<String> meters() {
        Set<String> meters = new TreeSet<>();
        Matcher matcher = METER.matcher(dashboard.toString());
        while (matcher.find()) {
            meters.add("outbox_" + matcher.group(1));
        }
        assertThat(meters).contains("outbox_dispatch_success_total", "outbox_events_dead");
        return meters;
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        PrometheusMeterRegistry prometheus() {
            return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        }

        @Bean
        @OutboxListener(eventType = "Placed")
        EventListener placed() {
            return event -> DispatchResult.done();
        }

        @Bean
        @OutboxListener(eventType = "Refused")
        EventListener refused() {
            return event -> {
                throw new UnrecoverableException("refused");
            };
        }
    }

    @Test
    void everyMeterItAsksForIsExported() {
        TestApplication.runner(Application.class, UnreachableTarget.class)
                .withPropertyValues("management.metrics.distribution.percentiles-histogram.outbox=true")
                .run(context -> {
                    write(context, "Placed", "1");
                    write(context, "Refused", "2");
                    write(context, "Sent", "3");
                    PrometheusMeterRegistry prometheus = context.getBean(PrometheusMeterRegistry.class);
                    await().atMost(OutboxActuatorTest.LAG_METER_PERIOD.plus(Duration.ofSeconds(20)))
                            .untilAsserted(
                                    () -> assertThat(exported(prometheus)).containsAll(meters()));
                });
    }

    private static Set<String> exported(PrometheusMeterRegistry prometheus) {
        return prometheus
                .scrape()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.split("[{ ]")[0])
                .collect(Collectors.toSet());
    }

    @Test
    void everyPanelHasATitleAUnitAndAQuery() {
        assertThat(panels()).allSatisfy(panel -> {
            assertThat(panel.path("title").asText()).isNotBlank();
            assertThat(panel.path("description").asText()).isNotBlank();
            assertThat(panel.at("/fieldConfig/defaults/unit").asText()).isNotBlank();
            assertThat(panel.path("targets")).isNotEmpty().allSatisfy(target -> {
                assertThat(target.path("expr").asText()).contains("${prefix}_");
                assertThat(target.at("/datasource/uid").asText()).isEqualTo("${datasource}");
            });
        });
        assertThat(panels().stream().map(panel -> panel.get("id").asInt()).distinct())
                .hasSize(panels().size());
    }

    @Test
    void asksForTheDataSourceAndTheOutboxOnImport() {
        List<String> variables = new ArrayList<>();
        dashboard
                .at("/templating/list")
                .forEach(variable -> variables.add(variable.get("name").asText()));
        assertThat(variables).containsExactly("datasource", "prefix", "instance");
        assertThat(dashboard.at("/templating/list/0/query").asText()).isEqualTo("prometheus");
    }
}
