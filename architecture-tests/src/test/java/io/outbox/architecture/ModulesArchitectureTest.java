package io.outbox.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.implement;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.outbox.EventListener;
import io.outbox.ForwardingBatchListener;
import io.outbox.ForwardingListener;
import io.outbox.registry.ForwardingRegistry;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import java.io.File;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the published modules may know of each other and of libraries. */
class ModulesArchitectureTest {

    /** Where each library is confined to: the package of a module, and what of the outside it alone may use. */
    @ParameterizedTest
    @CsvSource({
        "io.outbox.cdc.., org.apache.kafka.connect..",
        "io.outbox.rabbitmq.., com.rabbitmq..",
        "io.outbox.redis.., io.lettuce..",
        "io.outbox.gson.., com.google.gson..",
        "io.outbox.jta.., jakarta.transaction..",
        "io.outbox.micrometer.., io.micrometer.core.instrument.Timer..",
        "io.outbox.testing.., org.junit..",
        "io.outbox.testing.., org.assertj..",
        "io.outbox.jdbc.., org.postgresql.."
    })
    void aLibraryIsConfinedToItsModule(String module, String library) {
        noClasses()
                .that()
                .resideOutsideOfPackages(module, "io.outbox.spring.boot..", "io.outbox.spring.boot3..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage(library)
                .check(Modules.ALL);
    }

    /** A transform is made of the client's classes, too; beside the publisher, nothing else is. */
    @Test
    void theClientOfKafkaIsConfinedToItsModules() {
        noClasses()
                .that()
                .resideOutsideOfPackages(
                        "io.outbox.kafka..", "io.outbox.cdc..", "io.outbox.spring.boot..", "io.outbox.spring.boot3..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.apache.kafka..")
                .check(Modules.ALL);
    }

    /** A connector recognizes change events by their schemas, so any version of Debezium does. */
    @Test
    void noModuleKnowsDebezium() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.debezium..")
                .check(Modules.ALL);
    }

    @Test
    void nothingBelowTheStarterKnowsSpringBoot() {
        noClasses()
                .that()
                .resideOutsideOfPackages("io.outbox.spring.boot..", "io.outbox.spring.boot3..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.springframework.boot..")
                .check(Modules.ALL);
    }

    /** Spring Boot before 3.5 ignores a repeated condition without a message. */
    @Test
    void noConditionOnAPropertyIsRepeated() {
        String repeated = "org.springframework.boot.autoconfigure.condition.ConditionalOnProperties";
        noClasses().should().beAnnotatedWith(repeated).check(Modules.ALL);
        noMethods().should().beAnnotatedWith(repeated).check(Modules.ALL);
    }

    @Test
    void storageKnowsNoQueueAndNoThread() {
        noClasses()
                .that()
                .resideInAnyPackage("io.outbox.jdbc..", "io.outbox.store..")
                .should()
                .dependOnClassesThat(resideInAnyPackage(
                        "io.outbox.internal.delivery..",
                        "io.outbox.internal.polling..",
                        "io.outbox.internal.completion..",
                        "io.outbox.internal.lease.."))
                .check(Modules.ALL);
    }

    /** What is internal to a module is nobody else's: modules could leave it out of what they export. */
    @Test
    void noModuleKnowsTheInsidesOfAnother() {
        noClasses()
                .should(new ArchCondition<>("depend on internal packages of another module") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        type.getDirectDependenciesFromSelf().stream()
                                .map(dependency -> dependency.getTargetClass().getBaseComponentType())
                                .filter(target -> target.getPackageName().startsWith("io.outbox."))
                                .filter(target -> (target.getPackageName() + ".").contains(".internal."))
                                .filter(target -> !module(target).equals(module(type)))
                                .forEach(target -> events.add(SimpleConditionEvent.satisfied(
                                        type, type.getName() + " knows " + target.getName())));
                    }
                })
                .check(Modules.ALL);
    }

    /** Returns where the class was found: the directory or the jar of its module. */
    private static String module(JavaClass type) {
        String found = type.getSource().orElseThrow().getUri().toString();
        return found.substring(0, found.length() - (type.getName() + ".class").length());
    }

    /**
     * Basics, machinery, purgers, stores, and the classes that put them together for applications: in one direction.
     */
    @Test
    void theRoomsOfRelationalStorageDependOnEachOtherInOneDirection() {
        Set<String> facades =
                Set.of("JdbcOutbox", "IndexingBackend", "IndexCreation", "OutboxSchema", "DeadLetterSchema");
        slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        String name = type.getName().replaceAll("^.*\\.|\\$.*$", "");
                        return SliceIdentifier.of(facades.contains(name) ? "façades" : type.getPackageName());
                    }

                    @Override
                    public String getDescription() {
                        return "packages and façades";
                    }
                })
                .should()
                .beFreeOfCycles()
                .check(Modules.of("outbox-jdbc"));
    }

    @Test
    void noInternalTypeStandsInAPublicSignature() {
        classes()
                .that()
                .resideOutsideOfPackage("..internal..")
                .and()
                .arePublic()
                .should(new ArchCondition<>("show no internal type to others") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        shownBy(type)
                                .filter(shown -> shown.getPackageName().contains(".internal"))
                                .forEach(shown -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " shows " + shown.getName())));
                    }
                })
                .check(Modules.ALL);
    }

    /** So that no decorator forgets what the decorated listener has. */
    @Test
    void whatWrapsAListenerARegistryOrAnExporterForwardsEverythingElse() {
        classes()
                .that(implement(EventListener.class))
                .and(have(EventListener.class))
                .should()
                .beAssignableTo(ForwardingListener.class)
                .orShould()
                .beAssignableTo(ForwardingBatchListener.class)
                .check(Modules.ALL);
        classes()
                .that(implement(MetricsExporter.class))
                .and(have(MetricsExporter.class))
                .should()
                .beAssignableTo(ForwardingMetrics.class)
                .check(Modules.ALL);
        classes()
                .that(implement(ListenerRegistry.class))
                .and(have(ListenerRegistry.class))
                .and()
                .doNotHaveSimpleName("GivenListeners") // it joins two
                .should()
                .beAssignableTo(ForwardingRegistry.class)
                .check(Modules.ALL);
    }

    private static DescribedPredicate<JavaClass> have(Class<?> type) {
        return DescribedPredicate.describe(
                "have a " + type.getSimpleName(),
                candidate -> candidate.getFields().stream()
                        .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
                        .anyMatch(field -> field.getRawType().isAssignableTo(type)));
    }

    @Test
    void everyPackageIsDescribed() {
        List<String> undescribed = Stream.of(Modules.ALL.toArray(new JavaClass[0]))
                .map(JavaClass::getPackageName)
                .distinct()
                .filter(name -> !Modules.ALL.contain(name + ".package-info") && !hasPackageInfo(name))
                .sorted()
                .toList();

        assertThat(undescribed).as("packages without package-info.java").isEmpty();
    }

    /** A package-info without annotations leaves no class file behind, so its source is looked for. */
    private static boolean hasPackageInfo(String name) {
        String path = "src/main/java/" + name.replace('.', '/') + "/package-info.java";
        File[] modules = new File("..").listFiles(File::isDirectory);
        return Stream.of(modules).anyMatch(module -> new File(module, path).isFile());
    }

    private static Stream<JavaClass> shownBy(JavaClass type) {
        Set<JavaModifier> visible = Set.of(JavaModifier.PUBLIC, JavaModifier.PROTECTED);
        Stream<JavaClass> ofCodeUnits = type.getCodeUnits().stream()
                .filter(unit -> unit.getModifiers().stream().anyMatch(visible::contains))
                .flatMap(ModulesArchitectureTest::typesOf);
        Stream<JavaClass> ofFields = type.getFields().stream()
                .filter(field -> field.getModifiers().stream().anyMatch(visible::contains))
                .map(JavaField::getRawType);
        Stream<JavaClass> above = Stream.concat(type.getRawSuperclass().stream(), type.getRawInterfaces().stream());
        return Stream.of(ofCodeUnits, ofFields, above).flatMap(types -> types);
    }

    private static Stream<JavaClass> typesOf(JavaCodeUnit unit) {
        return Stream.concat(unit.getRawParameterTypes().stream(), Stream.of(unit.getRawReturnType()));
    }
}
