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
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;

/** The dashboard and the alert rules of the documentation ask for meters that there are. */
class GrafanaDashboardTest {

    private static final Pattern ALERT_METER = Pattern.compile("outbox_[a-z_]+");
    private static final Set<String> WORDS =
            Set.of("max", "sum", "rate", "increase", "by", "job", "outbox", "event_type", "m");
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

    private static List<Map<String, Object>> alerts() throws IOException {
        Map<String, List<Map<String, List<Map<String, Object>>>>> file =
                new Yaml().load(Files.readString(Path.of("../docs/grafana/alerts.yml")));
        List<Map<String, Object>> rules = file.get("groups").get(0).get("rules");
        assertThat(rules).hasSizeGreaterThan(3);
        return rules;
    }

    private static Set<String> metersOf(Map<String, Object> alert) {
        return ALERT_METER
                .matcher((String) alert.get("expr"))
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toSet());
    }

    @Test
    void everyAlertSaysWhatAndWhereToReadOn() throws IOException {
        String page = Files.readString(Path.of("../docs/operations.md"));
        assertThat(alerts()).allSatisfy(alert -> {
            assertThat(alert).containsOnlyKeys("alert", "expr", "for", "labels", "annotations");
            assertThat((String) alert.get("for")).matches("\\d+m");
            String expr = (String) alert.get("expr");
            assertThat(expr).matches(".+ (>|==) \\d+").contains("by (job, outbox");
            assertThat(expr.chars().filter(sign -> sign == '(').count())
                    .isEqualTo(expr.chars().filter(sign -> sign == ')').count());
            assertThat(Pattern.compile("[a-z_]+").matcher(expr).results().map(MatchResult::group))
                    .allMatch(word -> WORDS.contains(word) || metersOf(alert).contains(word));
            Map<?, ?> annotations = (Map<?, ?>) alert.get("annotations");
            assertThat(annotations.get("summary").toString()).contains("$labels.job");
            assertThat(annotations.get("description").toString()).isNotBlank();
            String anchor = annotations.get("runbook").toString().replace("operations.md#", "");
            assertThat(page).containsPattern("(?mi)^#+ " + anchor.replace('-', ' ') + "$");
        });
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
                .withPropertyValues(
                        "management.metrics.distribution.percentiles-histogram.outbox=true", "outbox.ordering=key")
                .run(context -> {
                    write(context, "Placed", "1");
                    write(context, "Refused", "2");
                    write(context, "Sent", "3");
                    PrometheusMeterRegistry prometheus = context.getBean(PrometheusMeterRegistry.class);
                    await().atMost(OutboxActuatorTest.LAG_METER_PERIOD.plus(Duration.ofSeconds(20)))
                            .untilAsserted(
                                    () -> assertThat(exported(prometheus)).containsAll(meters()));
                    for (Map<String, Object> alert : alerts()) {
                        assertThat(exported(prometheus)).containsAll(metersOf(alert));
                        assertThat(prometheus.scrape())
                                .as("%s by event type", alert.get("alert"))
                                .matches(text -> !alert.get("expr").toString().contains("event_type")
                                        || metersOf(alert).stream()
                                                .allMatch(meter -> text.contains(meter + "{event_type=")));
                    }
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
                assertThat(target.path("expr").asText()).contains("${prefix}_", "job=~\"$job\", outbox=~\"$outbox\"");
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
        assertThat(variables).containsExactly("datasource", "prefix", "job", "outbox", "instance");
        assertThat(dashboard.at("/templating/list/0/query").asText()).isEqualTo("prometheus");
    }
}
