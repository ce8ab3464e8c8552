package io.outbox.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the features of the Spring Boot starter may know of each other: nothing. */
class StarterArchitectureTest {

    private static final JavaClasses STARTER = Modules.of("outbox-spring-boot-starter");
    private static final String ROOT = "io.outbox.spring.boot";

    /** The auto-configurations that are in the package of the API, because document 003 names them so. */
    private static final Set<String> DOORS =
            Set.of(ROOT + ".OutboxAutoConfiguration", ROOT + ".OutboxMicrometerAutoConfiguration");

    /** What features are made of. Every other package is a feature. */
    private static final Set<String> CORE = Set.of(
            "internal.declaring",
            "internal.delivery",
            "internal.failures",
            "internal.jdbc",
            "internal.settings",
            "internal.texts");

    /**
     * The feature that {@code OutboxAutoConfiguration} imports, since it alone must bring an outbox with its listeners.
     */
    private static final Set<String> BEHIND_DOORS = Set.of("internal.listeners");

    /** Features that have more than one room. */
    private static final Map<String, String> ROOMS = Map.of("consumer.brokers", "consumer");

    /**
     * Classes that have to be public for a reason that leaves no trace in others: they are called by reflection,
     * returned by a public class, implemented by applications, or have constants, which are compiled in.
     */
    private static final Set<String> PUBLIC_FOR_OTHERS = Set.of(
            "OutboxEndpoint",
            "RoutedEvent",
            "OutboxKeys",
            "OutboxWriteConvention",
            "OutboxWriteContext",
            "OutboxProcessConvention",
            "OutboxProcessContext");

    /** How many internal classes are public. Who needs one more had better ask whether it belongs into the feature. */
    private static final int PUBLIC_INTERNALS = 29;

    @Test
    void theStarterIsFound() {
        assertThat(STARTER).hasSizeGreaterThan(150);
    }

    @Test
    void packagesDependOnEachOtherInOneDirection() {
        slices().assignedFrom(new Packages()).should().beFreeOfCycles().check(STARTER);
    }

    @Test
    void aFeatureKnowsNoSiblingAndNothingKnowsAFeature() {
        classes()
                .should(new ArchCondition<>("know no feature but their own") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        type.getDirectDependenciesFromSelf().stream()
                                .map(Dependency::getTargetClass)
                                .filter(target ->
                                        isFeature(target) && !partOf(target).equals(partOf(type)))
                                .filter(target -> !isDoor(type) || !BEHIND_DOORS.contains(partOf(target)))
                                .forEach(target -> events.add(SimpleConditionEvent.violated(
                                        type, type.getName() + " knows " + target.getName())));
                    }
                })
                .check(STARTER);
    }

    /** What is public can be typed by everybody, so it is only what another package has to type. */
    @Test
    void aClassIsPublicOnlyIfAnotherPackageNeedsIt() {
        classes()
                .that()
                .resideOutsideOfPackage(ROOT)
                .and()
                .areTopLevelClasses()
                .and()
                .arePublic()
                .and()
                .haveSimpleNameNotEndingWith("AutoConfiguration")
                .and()
                .haveSimpleNameNotEndingWith("Properties")
                .should(new ArchCondition<>("be used by another package") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        boolean used = type.getDirectDependenciesToSelf().stream()
                                .map(Dependency::getOriginClass)
                                .anyMatch(origin -> !origin.getPackageName().equals(type.getPackageName()));
                        if (!used && !PUBLIC_FOR_OTHERS.contains(type.getSimpleName())) {
                            events.add(SimpleConditionEvent.violated(type, type.getName() + " need not be public"));
                        }
                    }
                })
                .check(STARTER);
    }

    @Test
    void fewInternalClassesArePublic() {
        assertThat(STARTER.stream()
                        .filter(type -> type.getPackageName().startsWith(ROOT + ".internal"))
                        .filter(type ->
                                type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC))
                        .map(JavaClass::getName))
                .hasSizeLessThanOrEqualTo(PUBLIC_INTERNALS);
    }

    private static boolean isDoor(JavaClass type) {
        return DOORS.contains(outermost(type).getName());
    }

    private static boolean isFeature(JavaClass type) {
        String name = type.getPackageName();
        return name.startsWith(ROOT + ".") && !CORE.contains(name.substring(ROOT.length() + 1));
    }

    /** Returns the feature that a class is in, or else its package. */
    private static String partOf(JavaClass type) {
        String name = type.getPackageName();
        String below = name.startsWith(ROOT + ".") ? name.substring(ROOT.length() + 1) : name;
        return ROOMS.getOrDefault(below, below);
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(StarterArchitectureTest::outermost).orElse(type);
    }

    private static final class Packages implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass type) {
            return SliceIdentifier.of(isDoor(type) ? "doors" : type.getPackageName());
        }

        @Override
        public String getDescription() {
            return "packages, and the auto-configurations among the API";
        }
    }
}
