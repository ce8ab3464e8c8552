package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
            fixture.admin.calls().forEach(route -> routes.add(route.method() + " " + route.pattern()));

            assertThat(documented).isEqualTo(routes);
        }
    }

    @Test
    void saysWhichRoleEachCallTakesAndNamesItsVariables() {
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            JsonObject paths =
                    fixture.get(AdminFixture.BASE + "/openapi.json").object().getAsJsonObject("paths");
            for (Routes.Call call : fixture.admin.calls()) {
                JsonObject operation = paths.getAsJsonObject(call.pattern())
                        .getAsJsonObject(call.method().toLowerCase(Locale.ROOT));
                assertThat(operation.get("description").getAsString())
                        .as(call.pattern())
                        .contains("role " + call.role());
                Matcher variable = Pattern.compile("\\{(\\w+)}").matcher(call.pattern());
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
    void everyCallHasANameOfItsOwnForGeneratedClients() {
        Set<String> names = new TreeSet<>();
        try (AdminFixture fixture = AdminFixture.withDeadLetters()) {
            JsonObject document =
                    fixture.get(AdminFixture.BASE + "/openapi.json").object();
            assertThat(document.getAsJsonArray("servers")).isNotEmpty();
            fixture.admin.calls().forEach(route -> {
                String name = document.getAsJsonObject("paths")
                        .getAsJsonObject(route.pattern())
                        .getAsJsonObject(route.method().toLowerCase(Locale.ROOT))
                        .get("operationId")
                        .getAsString();
                assertThat(names.add(name)).as(name + " names one call only").isTrue();
            });
        }
    }

    /** Every answer that a test gets is compared with the document, too; see {@link AdminFixture#send}. */
    @Test
    void describesTheRecordsThatAreServedFieldByField() {
        Map<String, JsonObject> schemas = new TreeMap<>(ApiDocument.schemas());
        schemas.keySet().removeAll(Set.of("Filter", "Event")); // what is sent, and a choice of two
        schemas.put("ProblemDetail", schemas.remove("Problem"));
        Map<String, Class<?>> records = Stream.of(Views.class.getDeclaredClasses())
                .collect(Collectors.toMap(Class::getSimpleName, record -> record));

        assertThat(schemas.keySet()).isSubsetOf(records.keySet());
        schemas.forEach((name, schema) -> ApiDocument.compare(name, schema, records.get(name), false));
    }

    /** The native image of an application knows the records by name only. */
    @Test
    void everyRecordIsKnownToNativeImages() {
        String config = new String(
                WebFiles.read("/META-INF/native-image/io.outbox/outbox-admin/reflect-config.json"),
                StandardCharsets.UTF_8);
        Set<String> named = new TreeSet<>();
        JsonParser.parseString(config)
                .getAsJsonArray()
                .forEach(each -> named.add(each.getAsJsonObject().get("name").getAsString()));

        assertThat(named)
                .isEqualTo(Stream.of(Views.class.getDeclaredClasses())
                        .filter(Class::isRecord)
                        .map(Class::getName)
                        .collect(Collectors.toCollection(TreeSet::new)));
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
