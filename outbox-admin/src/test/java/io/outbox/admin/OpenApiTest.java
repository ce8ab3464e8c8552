package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The OpenAPI document says what there is. */
class OpenApiTest {

    @Test
    void namesEveryCallAndNoOther() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            JsonObject document =
                    fixture.get(AdminFixture.BASE + "/openapi.json").object();
            Set<String> documented = new TreeSet<>();
            document.getAsJsonObject("paths")
                    .entrySet()
                    .forEach(path -> path.getValue()
                            .getAsJsonObject()
                            .keySet()
                            .forEach(method -> documented.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
            Set<String> routes = new TreeSet<>();
            fixture.admin.routes().forEach(route -> routes.add(route.method() + " " + route.pattern()));

            assertThat(documented).isEqualTo(routes);
        }
    }

    @Test
    void saysWhichRoleEachCallTakesAndNamesItsVariables() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            JsonObject paths =
                    fixture.get(AdminFixture.BASE + "/openapi.json").object().getAsJsonObject("paths");
            for (Routes.Route route : fixture.admin.routes()) {
                JsonObject operation = paths.getAsJsonObject(route.pattern())
                        .getAsJsonObject(route.method().toLowerCase(Locale.ROOT));
                assertThat(operation.get("description").getAsString())
                        .as(route.pattern())
                        .contains("role " + route.role());
                Matcher variable = Pattern.compile("\\{(\\w+)}").matcher(route.pattern());
                while (variable.find()) {
                    assertThat(operation.getAsJsonArray("parameters").asList())
                            .anyMatch(each -> each.getAsJsonObject()
                                    .get("name")
                                    .getAsString()
                                    .equals(variable.group(1)));
                }
            }
        }
    }

    @Test
    void answersHaveTheFieldsThatItNames() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            String id = fixture.writeDead(1).get(0);
            fixture.write("Shipped", 1, "acme");
            JsonObject schemas = fixture.get(AdminFixture.BASE + "/openapi.json")
                    .object()
                    .getAsJsonObject("components")
                    .getAsJsonObject("schemas");
            fixture.post(AdminFixture.BASE + "/events/" + id + "/resolve");
            Map<String, JsonElement> answers = Map.of(
                    "Session", fixture.get(AdminFixture.BASE + "/session").json(),
                    "DeadLetter", fixture.get(AdminFixture.DLQ + "/" + id).json(),
                    "Overview", fixture.get(AdminFixture.BASE + "/overview").json(),
                    "EventSummary", first(fixture, "/events"),
                    "DeadLetterSummary", first(fixture, "/dead-letters"),
                    "Slot", first(fixture, "/series"),
                    "Type", first(fixture, "/types"),
                    "AuditEntry", first(fixture, "/audit"));

            answers.forEach(
                    (schema, answer) -> assertThat(answer.getAsJsonObject().keySet())
                            .as(schema)
                            .isEqualTo(schemas.getAsJsonObject(schema)
                                    .getAsJsonObject("properties")
                                    .keySet()));
        }
    }

    private static JsonElement first(AdminFixture fixture, String path) {
        return fixture.get(AdminFixture.BASE + path)
                .object()
                .getAsJsonArray("items")
                .get(0);
    }

    @Test
    void everyReferenceLeadsSomewhere() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            JsonObject document =
                    fixture.get(AdminFixture.BASE + "/openapi.json").object();
            Set<String> references = new TreeSet<>();
            collectReferences(document, references);
            Set<String> components = new TreeSet<>();
            document.getAsJsonObject("components")
                    .entrySet()
                    .forEach(kind -> kind.getValue()
                            .getAsJsonObject()
                            .keySet()
                            .forEach(name -> components.add("#/components/" + kind.getKey() + "/" + name)));

            assertThat(references).isNotEmpty().isSubsetOf(components);
        }
    }

    /** Adds what is referred to by address, or as a way to authenticate by name. */
    private static void collectReferences(JsonElement element, Set<String> references) {
        if (element.isJsonArray()) {
            element.getAsJsonArray().forEach(each -> collectReferences(each, references));
        } else if (element.isJsonObject()) {
            element.getAsJsonObject().entrySet().forEach(entry -> {
                if (entry.getKey().equals("$ref")) {
                    references.add(entry.getValue().getAsString());
                } else if (entry.getKey().equals("security")) {
                    entry.getValue()
                            .getAsJsonArray()
                            .forEach(way -> way.getAsJsonObject()
                                    .keySet()
                                    .forEach(name -> references.add("#/components/securitySchemes/" + name)));
                }
                collectReferences(entry.getValue(), references);
            });
        }
    }

    @Test
    void followsTheBasePath() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters(builder -> builder.basePath("/ops/outbox"))) {
            String body = fixture.get("/ops/outbox/api/openapi.json").response().body();
            assertThat(body).contains("\"/ops/outbox/api/events\"").doesNotContain("/outbox-admin/");
            assertThat(JsonParser.parseString(body).isJsonObject()).isTrue();
        }
    }
}
