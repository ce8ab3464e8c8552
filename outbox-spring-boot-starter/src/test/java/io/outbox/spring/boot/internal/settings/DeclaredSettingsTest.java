package io.outbox.spring.boot.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.outbox.spring.boot.ConsumerApplication;
import io.outbox.spring.boot.OutboxConsumerProperties;
import io.outbox.spring.boot.OutboxEventProperties;
import io.outbox.spring.boot.TestApplication;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.springframework.aot.hint.ExecutableHint;
import org.springframework.aot.hint.FieldHint;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

/**
 * What holds for every setting that a feature declares: it is told to editors, documented, checked, and has one value.
 */
class DeclaredSettingsTest {

    /** The defaults depend on the machine, and on other settings. */
    private static final List<String> WITHOUT_ONE_DEFAULT =
            List.of("outbox.thread-pool-size", "outbox.tables.auto-create");

    /** What is refused for some setting of a type, by its rule or since it cannot be read. */
    private static final Map<String, List<String>> BAD_VALUES = Map.of(
            "java.lang.Boolean", List.of("perhaps"),
            "java.lang.Integer", List.of("0", "-1", "many"),
            "java.lang.Long", List.of("0", "-1", "many"),
            "java.lang.Double", List.of("0.9", "NaN", "much"),
            "java.time.Duration", List.of("0s", "-1s", "1500ms", "soon"),
            "java.util.List<java.time.Duration>", List.of("1s", "1s,1s,-1s", "soon"),
            "java.lang.String", List.of("''", "no name.", "x".repeat(129)));

    private static Stream<DeclaredSetting> declared() {
        return FeatureSettings.all().stream().flatMap(feature -> feature.settings().stream());
    }

    private static Map<String, Map<?, ?>> metadata() throws IOException {
        Map<String, Map<?, ?>> properties = new TreeMap<>();
        for (Object each : (List<?>) EditorMetadata.read().get("properties")) {
            Map<?, ?> property = (Map<?, ?>) each;
            properties.put((String) property.get("name"), property);
        }
        properties.keySet().removeIf(name -> name.startsWith("management."));
        return properties;
    }

    private static String defaultIn(Map<?, ?> property) {
        Object value = property.get("defaultValue");
        return value == null ? "" : value.toString();
    }

    private static Object bound(FeatureSettings feature, String key, String value) {
        return new Binder(new MapConfigurationPropertySource(Map.of(key, value)))
                .bindOrCreate(feature.prefix(), feature.properties());
    }

    // Editors and documentation

    @Test
    void editorsKnowEverySettingAndNoOther() throws IOException {
        assertThat(metadata().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        declared().flatMap(DeclaredSetting::keys).toList());
    }

    @TestFactory
    Stream<DynamicTest> editorsDescribe() throws IOException {
        return metadata().values().stream()
                .map(property -> dynamicTest(
                        property.get("name").toString(),
                        () -> assertThat((String) property.get("description")).matches("(?s)[A-Z].{9,}\\.")));
    }

    @TestFactory
    Stream<DynamicTest> editorsHaveTheDefault() throws IOException {
        Map<String, Map<?, ?>> metadata = metadata();
        return FeatureSettings.all().stream()
                .flatMap(feature -> feature.settings().stream()
                        .flatMap(setting -> setting.keys()
                                .map(key -> dynamicTest(key, () -> {
                                    String told = defaultIn(metadata.get(key));
                                    Object byDefault = setting.value().apply(feature.defaults());
                                    if (byDefault == null
                                            || byDefault instanceof Map
                                            || List.of().equals(byDefault)
                                            || WITHOUT_ONE_DEFAULT.contains(key)) {
                                        assertThat(told).isEmpty();
                                    } else {
                                        assertThat(told).isNotEmpty();
                                        assertThat(setting.value().apply(bound(feature, key, told)))
                                                .isEqualTo(byDefault);
                                    }
                                }))));
    }

    @TestFactory
    Stream<DynamicTest> editorsOfferADurationForANumberOfMilliseconds() throws IOException {
        Map<String, Map<?, ?>> metadata = metadata();
        return metadata.keySet().stream()
                .filter(key -> key.endsWith("-ms") || key.endsWith("-seconds"))
                .map(key -> dynamicTest(key, () -> {
                    Map<?, ?> deprecation = (Map<?, ?>) metadata.get(key).get("deprecation");
                    assertThat(deprecation.get("replacement")).isEqualTo(key.replaceAll("-(ms|seconds)$", ""));
                    assertThat(metadata).containsKey((String) deprecation.get("replacement"));
                }));
    }

    @TestFactory
    Stream<DynamicTest> editorsOfferAndExplainTheValuesOfEnums() throws IOException {
        Map<String, List<String>> hints = new TreeMap<>();
        for (Object each : (List<?>) EditorMetadata.read().get("hints")) {
            List<String> values = new ArrayList<>();
            Object offered = ((Map<?, ?>) each).get("values");
            for (Object value : offered == null ? List.of() : (List<?>) offered) {
                assertThat((String) ((Map<?, ?>) value).get("description")).isNotBlank();
                values.add((String) ((Map<?, ?>) value).get("value"));
            }
            hints.put((String) ((Map<?, ?>) each).get("name"), values);
        }
        Map<String, Map<?, ?>> metadata = metadata();
        return FeatureSettings.all().stream()
                .flatMap(feature -> feature.settings().stream()
                        .filter(setting -> isEnum(metadata.get(setting.key())))
                        .map(setting -> dynamicTest(
                                setting.key(),
                                () -> assertThat(hints.get(setting.key()))
                                        .extracting(
                                                value -> setting.value().apply(bound(feature, setting.key(), value)))
                                        .containsExactly(typeOf(metadata.get(setting.key()))
                                                .getEnumConstants()))));
    }

    private static boolean isEnum(Map<?, ?> property) {
        String type = (String) property.get("type");
        return !type.startsWith("java.") && typeOf(property).isEnum();
    }

    private static Class<?> typeOf(Map<?, ?> property) {
        try {
            return Class.forName((String) property.get("type"));
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void everySettingHasARowWithItsDefaultInTheDocumentation() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        for (String page : List.of("spring", "brokers", "inbox", "admin")) {
            Matcher rows = Pattern.compile(
                            "(?m)^\\| `(outbox\\.(?!events|dlq)[a-z.-]+)` \\| (?:`([^`]*)`)? *\\| \\S.* \\|$")
                    .matcher(Files.readString(Path.of("..", "docs", page + ".md"))); // events and dlq are of meters
            while (rows.find()) {
                documented.put(rows.group(1), rows.group(2) == null ? "" : rows.group(2));
            }
        }
        Map<String, String> defaults = new TreeMap<>();
        metadata().forEach((key, property) -> defaults.put(key, defaultIn(property)));
        assertThat(documented).isEqualTo(defaults);
    }

    @Test
    void aNativeImageKnowsTheDeclarationsOfFeaturesThatAreNotInUse() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(registrar -> registrar.getClass().getName().startsWith("io.outbox."))
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
        assertThat(hints.reflection()
                        .getTypeHint(OutboxConsumerProperties.CleanUp.class)
                        .fields())
                .extracting(FieldHint::getName)
                .contains("ttl");
        assertThat(hints.reflection()
                        .getTypeHint(OutboxEventProperties.Message.class)
                        .methods())
                .extracting(ExecutableHint::getName)
                .contains("priority");
    }

    // Values

    /** An application in which every feature reads its settings but the administration, which needs a web server. */
    private static ApplicationContextRunner application() {
        return ConsumerApplication.runner()
                .withPropertyValues(
                        "outbox.publisher.sender.type=kafka", "outbox.publisher.events.placed.topic=orders");
    }

    private static void assertRefused(List<String> settings, String... keys) {
        application().withPropertyValues(settings.toArray(String[]::new)).run(context -> {
            assertThat(context).as("%s", settings).hasFailed();
            StringBuilder messages = new StringBuilder();
            for (Throwable cause = context.getStartupFailure(); cause != null; cause = cause.getCause()) {
                messages.append(cause.getMessage()).append('\n');
                if (cause instanceof InvalidConfigurationPropertyValueException invalid) {
                    messages.append(invalid.getName()).append(' ').append(invalid.getReason());
                }
            }
            assertThat(messages).contains(keys);
        });
    }

    @TestFactory
    Stream<DynamicTest> refusesBadValuesAndNamesTheKey() throws IOException {
        Map<String, Map<?, ?>> metadata = metadata();
        return FeatureSettings.all().stream()
                .filter(feature -> !feature.prefix().equals("outbox.admin"))
                .flatMap(feature -> feature.settings().stream()
                        .flatMap(setting -> setting.keys()
                                .flatMap(key -> badValues(feature, setting, key, metadata.get(key))
                                        .map(bad -> dynamicTest(
                                                key + "=" + bad,
                                                () -> assertRefused(List.of(key + "=" + bad), key))))));
    }

    /** Returns one value that the rule refuses, and one that cannot be read; texts without a rule have neither. */
    private static Stream<String> badValues(
            FeatureSettings feature, DeclaredSetting setting, String key, Map<?, ?> property) {
        List<String> candidates = isEnum(property)
                ? List.of("no such value")
                : BAD_VALUES.getOrDefault((String) property.get("type"), List.of());
        Stream<String> refused = candidates.stream()
                .filter(value -> isRefused(feature, setting, key, value))
                .limit(1);
        Stream<String> unreadable = candidates.isEmpty() || property.get("type").equals("java.lang.String")
                ? Stream.empty()
                : Stream.of(candidates.get(candidates.size() - 1));
        return Stream.concat(refused, unreadable).distinct();
    }

    private static boolean isRefused(FeatureSettings feature, DeclaredSetting setting, String key, String value) {
        try {
            Object bound = setting.value().apply(bound(feature, key, value));
            return bound != null && setting.rule().violationBy(bound).isPresent();
        } catch (BindException e) {
            return false;
        }
    }

    @TestFactory
    Stream<DynamicTest> refusesTwoNamesWithDifferentValues() {
        Stream<DynamicTest> byUnit = declared()
                .filter(setting -> setting.unit() != ChronoUnit.FOREVER)
                .map(setting -> {
                    List<String> keys = setting.keys().toList();
                    return dynamicTest(
                            keys.toString(),
                            () -> assertRefused(
                                    List.of(keys.get(0) + "=61s", keys.get(1) + "=62"), keys.get(0), keys.get(1)));
                });
        Stream<DynamicTest> byMeaning = declared()
                .filter(setting -> !setting.meaning().isEmpty())
                .map(setting -> dynamicTest(
                        setting.key() + " and " + setting.meaning(),
                        () -> assertRefused(
                                List.of(
                                        setting.key() + "=" + different(setting)[0],
                                        setting.meaning() + "=" + different(setting)[1]),
                                setting.key(),
                                setting.meaning())));
        return Stream.concat(byUnit, byMeaning);
    }

    private static String[] different(DeclaredSetting setting) {
        return switch (setting.meaning()) {
            case "outbox.schema.initialize" -> new String[] {"true", "never"};
            case "outbox.purge.enabled" -> new String[] {"false", "true"};
            case "outbox.dispatcher.worker-count", "outbox.purge.batch-size" -> new String[] {"7", "8"};
            default -> new String[] {"200s", "201s"};
        };
    }

    @Test
    void anotherNameIsForASettingThatExists() {
        List<String> keys = declared().map(DeclaredSetting::key).toList();
        assertThat(declared().map(DeclaredSetting::meaning).filter(meaning -> !meaning.isEmpty()))
                .isSubsetOf(keys);
    }

    @Test
    void theDefaultsAreInForceInAnApplicationThatSetsNothing() {
        TestApplication.withoutSettings().run(context -> {
            for (FeatureSettings feature : FeatureSettings.all()) {
                context.getBeanProvider(feature.properties())
                        .ifAvailable(bound -> feature.settings()
                                .forEach(setting -> assertThat(setting.value().apply(bound))
                                        .as(setting.key())
                                        .isEqualTo(setting.value().apply(feature.defaults()))));
            }
        });
    }
}
