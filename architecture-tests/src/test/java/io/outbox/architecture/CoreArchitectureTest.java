package io.outbox.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.outbox.DefaultOutboxWriter;
import io.outbox.Outbox;
import io.outbox.dead.DeadEventManager;
import io.outbox.dead.DeadLetterQueue;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.poller.OutboxPoller;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.ForwardingMetrics;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.OwnershipStore;
import io.outbox.spi.TxContext;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What the parts of the core may know of each other. */
class CoreArchitectureTest {

    /** The classes that put the rooms of the engine together for applications. */
    private static final Set<Class<?>> FACADES = Set.of(
            Outbox.class,
            DefaultOutboxWriter.class,
            OutboxDispatcher.class,
            DispatcherWriterHook.class,
            DispatcherPollerHandler.class,
            OutboxPoller.class,
            OutboxPurgeScheduler.class,
            DeadEventManager.class,
            DeadLetterQueue.class);

    @Test
    void theCoreIsFound() {
        assertThat(Modules.CORE).hasSizeGreaterThan(100);
    }

    @Test
    void theCoreNeedsOnlyTheJdk() {
        classes()
                .should()
                .onlyDependOnClassesThat(resideInAnyPackage("java..", "io.outbox..", "org.jspecify.annotations"))
                .check(Modules.CORE);
    }

    @Test
    void thereIsNoDrawerForOddThings() {
        classes()
                .that()
                .resideInAPackage("io.outbox.util..")
                .should()
                .haveSimpleName("DaemonThreadFactory")
                .orShould()
                .haveSimpleName("package-info")
                .check(Modules.CORE);
    }

    @Test
    void sqlStaysBelowTheSeam() {
        noClasses()
                .that()
                .resideOutsideOfPackage("io.outbox.store..")
                .and()
                .doNotBelongToAnyOf(
                        ConnectionProvider.class,
                        EventPurger.class,
                        OutboxStore.class,
                        OwnershipStore.class,
                        TxContext.class)
                .should()
                .dependOnClassesThat()
                .resideInAPackage("java.sql..")
                .check(Modules.CORE);
    }

    @Test
    void onlyOneClassCallsTheApplicationsMetrics() {
        noClasses()
                .that()
                .doNotBelongToAnyOf(EngineMetrics.class, MetricsExporter.class, ForwardingMetrics.class)
                .should()
                .callMethodWhere(target(owner(equivalentTo(MetricsExporter.class))))
                .check(Modules.CORE);
    }

    /**
     * API types know nobody, the rooms of the engine know the API and each other in one direction, façades know all.
     */
    @Test
    void apiRoomsAndFacadesDependOnEachOtherInOneDirection() {
        slices().assignedFrom(new Rooms()).should().beFreeOfCycles().check(Modules.CORE);
    }

    @Test
    void theEngineAndThePollerDoNotKnowEachOthersInsides() {
        noClasses()
                .that()
                .resideInAPackage("io.outbox.internal.polling..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "io.outbox.internal.delivery..",
                        "io.outbox.internal.completion..",
                        "io.outbox.internal.lease..",
                        "io.outbox.internal.ownership..")
                .check(Modules.CORE);
    }

    private static final class Rooms implements SliceAssignment {

        @Override
        public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
            JavaClass outermost = outermost(javaClass);
            if (FACADES.stream().anyMatch(outermost::isEquivalentTo)
                    || Set.of("OutboxAssembly", "CommonSettings").contains(outermost.getSimpleName())) {
                return SliceIdentifier.of("façades");
            }
            String name = javaClass.getPackageName();
            return SliceIdentifier.of(name.startsWith("io.outbox.internal.") ? name : "API");
        }

        private static JavaClass outermost(JavaClass javaClass) {
            return javaClass.getEnclosingClass().map(Rooms::outermost).orElse(javaClass);
        }

        @Override
        public String getDescription() {
            return "API, rooms of the engine and façades";
        }
    }
}
