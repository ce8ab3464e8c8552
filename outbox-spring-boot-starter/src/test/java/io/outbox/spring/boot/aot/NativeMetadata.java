package io.outbox.spring.boot.aot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What processing ahead of time tells the builder of a native image: in one file with Spring Boot 4, in several with
 * 3.5.
 */
final class NativeMetadata {

    static final String ALL_PUBLIC = "allPublicMethods";

    private final List<JsonNode> reflection = new ArrayList<>();
    private final List<JsonNode> resources = new ArrayList<>();

    private NativeMetadata() {}

    static NativeMetadata in(Path directory) throws IOException {
        NativeMetadata metadata = new NativeMetadata();
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".json")).toList()) {
                metadata.add(file.getFileName().toString(), new ObjectMapper().readTree(file.toFile()));
            }
        }
        return metadata;
    }

    private void add(String name, JsonNode content) {
        switch (name) {
            case "reachability-metadata.json" -> {
                content.get("reflection").forEach(reflection::add);
                content.get("resources").forEach(resources::add);
            }
            case "reflect-config.json" -> content.forEach(reflection::add);
            case "resource-config.json" -> content.at("/resources/includes").forEach(resources::add);
            default -> {
                // proxies and the like
            }
        }
    }

    /** Returns the names of the methods that can be called, and {@link #ALL_PUBLIC} if those can. */
    Set<String> methodsOf(Class<?> type) {
        Set<String> names = new HashSet<>();
        for (JsonNode entry : entries(type)) {
            entry.path("methods").forEach(method -> names.add(method.get("name").asText()));
            if (entry.path(ALL_PUBLIC).asBoolean()) {
                names.add(ALL_PUBLIC);
            }
        }
        return names;
    }

    /** Returns whether objects of the class can be made. */
    boolean constructs(Class<?> type) {
        return entries(type).stream()
                .anyMatch(entry -> entry.path("allDeclaredConstructors").asBoolean());
    }

    boolean hasResource(String name) {
        return resources.stream()
                .anyMatch(entry -> entry.has("glob")
                        ? FileSystems.getDefault()
                                .getPathMatcher("glob:" + entry.get("glob").asText())
                                .matches(Path.of(name))
                        : name.matches(entry.path("pattern").asText()));
    }

    private List<JsonNode> entries(Class<?> type) {
        return reflection.stream()
                .filter(entry ->
                        entry.path(entry.has("type") ? "type" : "name").asText().equals(type.getName()))
                .toList();
    }
}
