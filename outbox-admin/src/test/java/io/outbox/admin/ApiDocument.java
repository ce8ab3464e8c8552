package io.outbox.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What {@code openapi.json} says: compares it with records that are served, and answers with it. */
final class ApiDocument {

    private static final JsonObject DOCUMENT = JsonParser.parseString(
                    new String(WebFiles.read("/META-INF/outbox-admin/openapi.json"), StandardCharsets.UTF_8))
            .getAsJsonObject();

    private ApiDocument() {}

    static Map<String, JsonObject> schemas() {
        return DOCUMENT.getAsJsonObject("components").getAsJsonObject("schemas").entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().getAsJsonObject()));
    }

    private static JsonObject resolved(JsonObject schema) {
        if (!schema.has("$ref")) {
            return schema;
        }
        JsonElement found = DOCUMENT;
        for (String name : schema.get("$ref").getAsString().substring(2).split("/")) {
            found = found.getAsJsonObject().get(name);
        }
        return resolved(found.getAsJsonObject());
    }

    // Records

    /** A field of an object that is served. */
    private record Field(Type type, boolean nullable, boolean optional) {}

    private static Map<String, Field> fields(Class<?> type) {
        Map<String, Field> fields = new LinkedHashMap<>();
        for (RecordComponent component : type.getRecordComponents()) {
            if (Json.Part.class.isAssignableFrom(component.getType())) {
                fields.putAll(fields(component.getType()));
            } else {
                fields.put(
                        component.getName(),
                        new Field(
                                component.getGenericType(),
                                component.isAnnotationPresent(Json.Nullable.class),
                                component.isAnnotationPresent(Json.Optional.class)));
            }
        }
        return fields;
    }

    /** Compares names, types, what is required, what may be null, and the values of enums, down to the last field. */
    static void compare(String where, JsonObject documented, Type type, boolean nullable) {
        JsonObject schema = resolved(documented);
        Class<?> raw = raw(type);
        Set<String> types = new TreeSet<>(Set.of(typeName(raw)));
        if (nullable) {
            types.add("null");
        }
        assertThat(types(schema)).as(where + ": type").isEqualTo(types);
        if (raw == Instant.class) {
            assertThat(schema.get("format").getAsString()).as(where).isEqualTo("date-time");
        } else if (raw.isEnum()) {
            assertThat(texts(schema, "enum"))
                    .as(where + ": values")
                    .isEqualTo(Stream.of(raw.getEnumConstants())
                            .map(Object::toString)
                            .collect(Collectors.toCollection(TreeSet::new)));
        } else if (raw.isRecord()) {
            Map<String, Field> fields = fields(raw);
            JsonObject properties = schema.getAsJsonObject("properties");
            assertThat(properties.keySet()).as(where + ": fields").isEqualTo(fields.keySet());
            assertThat(texts(schema, "required"))
                    .as(where + ": required")
                    .isEqualTo(fields.keySet().stream()
                            .filter(name -> !fields.get(name).optional)
                            .collect(Collectors.toCollection(TreeSet::new)));
            fields.forEach((name, field) ->
                    compare(where + "." + name, properties.getAsJsonObject(name), field.type, field.nullable));
        } else if (Collection.class.isAssignableFrom(raw)) {
            compare(where + "[]", schema.getAsJsonObject("items"), argument(type, 0), false);
        } else if (Map.class.isAssignableFrom(raw)) {
            boolean isOfHeaders = where.endsWith(".headers");
            compare(where + "{}", schema.getAsJsonObject("additionalProperties"), argument(type, 1), isOfHeaders);
        }
    }

    private static Class<?> raw(Type type) {
        return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
    }

    private static Type argument(Type type, int place) {
        return ((ParameterizedType) type).getActualTypeArguments()[place];
    }

    private static String typeName(Class<?> type) {
        if (type == boolean.class || type == Boolean.class) {
            return "boolean";
        }
        if (type == double.class || type == Double.class) {
            return "number";
        }
        if (type.isPrimitive() || Number.class.isAssignableFrom(type)) {
            return "integer";
        }
        if (Collection.class.isAssignableFrom(type)) {
            return "array";
        }
        return type.isRecord() || Map.class.isAssignableFrom(type) ? "object" : "string";
    }

    private static Set<String> types(JsonObject schema) {
        JsonElement type = schema.get("type");
        return type.isJsonArray() ? texts(schema, "type") : Set.of(type.getAsString());
    }

    private static Set<String> texts(JsonObject schema, String name) {
        Set<String> texts = new TreeSet<>();
        if (schema.has(name)) {
            schema.getAsJsonArray(name).forEach(each -> texts.add(each.getAsString()));
        }
        return texts;
    }

    // Answers

    /** Fails unless the document has this answer to this call; what is below another base path is not looked at. */
    static void requireDocumented(String method, String path, int status, String contentType, String body) {
        String called = path.replaceAll("\\?.*", "");
        List<String> parts = List.of(called.split("/"));
        for (Map.Entry<String, JsonElement> each :
                DOCUMENT.getAsJsonObject("paths").entrySet()) {
            JsonObject operation = each.getValue().getAsJsonObject().getAsJsonObject(method.toLowerCase());
            if (operation != null && fits(List.of(each.getKey().split("/")), parts)) {
                requireDocumented(method + " " + called + " " + status, operation, status, contentType, body);
                return;
            }
        }
    }

    private static boolean fits(List<String> pattern, List<String> parts) {
        for (int i = 0; i < pattern.size() && i < parts.size(); i++) {
            if (!pattern.get(i).startsWith("{") && !pattern.get(i).equals(parts.get(i))) {
                return false;
            }
        }
        return pattern.size() == parts.size();
    }

    private static void requireDocumented(
            String where, JsonObject operation, int status, String contentType, String body) {
        JsonObject responses = operation.getAsJsonObject("responses");
        boolean isNamed = responses.has(String.valueOf(status));
        assertThat(isNamed || status == 500).as(where + " is documented").isTrue();
        JsonObject response = resolved(responses.getAsJsonObject(isNamed ? String.valueOf(status) : "default"));
        JsonObject content = response.getAsJsonObject("content");
        if (content == null) {
            assertThat(body).as(where).isEmpty();
        } else if (contentType != null && contentType.endsWith("json")) {
            assertThat(content.keySet()).as(where).contains(contentType);
            if (content.getAsJsonObject(contentType).has("schema")) {
                JsonObject schema = content.getAsJsonObject(contentType).getAsJsonObject("schema");
                assertThat(faults(where, schema, JsonParser.parseString(body))).isEmpty();
            }
        }
    }

    /** Returns what is wrong about a value. */
    private static List<String> faults(String where, JsonObject documented, JsonElement value) {
        JsonObject schema = resolved(documented);
        if (schema.has("oneOf")) {
            List<List<String>> all = schema.getAsJsonArray("oneOf").asList().stream()
                    .map(one -> faults(where, one.getAsJsonObject(), value))
                    .toList();
            return all.stream().filter(List::isEmpty).count() == 1
                    ? List.of()
                    : all.stream().flatMap(List::stream).toList();
        }
        boolean isNumber = typeOf(value).equals("integer") && types(schema).contains("number");
        if (!isNumber && !types(schema).contains(typeOf(value))) {
            return List.of(where + " is " + value + ", not " + types(schema));
        }
        if (value.isJsonArray()) {
            return value.getAsJsonArray().asList().stream()
                    .flatMap(item -> faults(where + "[]", schema.getAsJsonObject("items"), item).stream())
                    .toList();
        }
        if (value.isJsonObject() && schema.has("additionalProperties")) {
            return value.getAsJsonObject().entrySet().stream()
                    .flatMap(entry -> faults(
                            where + "." + entry.getKey(),
                            schema.getAsJsonObject("additionalProperties"),
                            entry.getValue())
                            .stream())
                    .toList();
        }
        if (value.isJsonObject() && schema.has("properties")) {
            return faultsOfFields(where, schema, value.getAsJsonObject());
        }
        if (schema.has("enum") && !value.isJsonNull() && !texts(schema, "enum").contains(value.getAsString())) {
            return List.of(where + " is " + value + ", which is no value of it");
        }
        return List.of();
    }

    private static List<String> faultsOfFields(String where, JsonObject schema, JsonObject value) {
        JsonObject properties = schema.getAsJsonObject("properties");
        Stream<String> missing = texts(schema, "required").stream()
                .filter(name -> !value.has(name))
                .map(name -> where + " has no " + name);
        Stream<String> wrong = value.entrySet().stream()
                .flatMap(field -> properties.has(field.getKey())
                        ? faults(
                                where + "." + field.getKey(),
                                properties.getAsJsonObject(field.getKey()),
                                field.getValue())
                                .stream()
                        : Stream.of(where + " has an unknown " + field.getKey()));
        return Stream.concat(missing, wrong).toList();
    }

    private static String typeOf(JsonElement value) {
        if (value.isJsonNull()) {
            return "null";
        }
        if (value.isJsonPrimitive()) {
            return value.getAsJsonPrimitive().isBoolean()
                    ? "boolean"
                    : value.getAsJsonPrimitive().isNumber() ? "integer" : "string";
        }
        return value.isJsonArray() ? "array" : "object";
    }
}
