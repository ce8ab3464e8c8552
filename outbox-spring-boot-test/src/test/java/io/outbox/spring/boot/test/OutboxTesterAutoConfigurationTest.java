package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.outbox.spring.boot.OutboxAutoConfiguration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

class OutboxTesterAutoConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(OutboxAutoConfiguration.class, OutboxTesterAutoConfiguration.class))
            .withPropertyValues("outbox.auto-startup=false");

    private static EmbeddedDatabase database() {
        return new EmbeddedDatabaseBuilder()
                .setType(EmbeddedDatabaseType.H2)
                .generateUniqueName(true)
                .build();
    }

    /** A slice gets what the starter has, but for what serves operators. */
    @Test
    void aSliceGetsEveryAutoConfigurationThatWritesOrDelivers() {
        assertThat(ImportCandidates.load(AutoConfigureOutboxTester.class, null))
                .containsAll(ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                        .filter(name -> name.startsWith("io.outbox."))
                        .filter(name -> Stream.of("Actuator", "Admin", "Gauges", "Micrometer")
                                .noneMatch(name::contains))
                        .toList());
    }

    @Test
    void anOutboxThatIsMissingIsSaid() {
        runner.run(context -> assertNoOutbox(context.getBean(OutboxTester.class)));
        runner.withBean(EmbeddedDatabase.class, OutboxTesterAutoConfigurationTest::database)
                .withPropertyValues("outbox.enabled=false")
                .run(context -> assertNoOutbox(context.getBean(OutboxTester.class)));
    }

    private static void assertNoOutbox(OutboxTester outbox) {
        assertThatIllegalStateException().isThrownBy(outbox::deliverDue).withMessageContaining("no outbox");
        assertThatIllegalStateException().isThrownBy(outbox::written).withMessageContaining("no outbox");
    }

    @Test
    void anOutboxThatOnlyWritesIsSaid() {
        runner.withBean(EmbeddedDatabase.class, OutboxTesterAutoConfigurationTest::database)
                .withPropertyValues("outbox.mode=writer-only")
                .run(context -> {
                    OutboxTester outbox = context.getBean(OutboxTester.class);
                    assertThat(outbox).hasWrittenNothing();
                    assertThatIllegalStateException()
                            .isThrownBy(outbox::deliverDue)
                            .withMessageContaining("only writes");
                });
    }

    @Test
    void anOutboxThatWasStartedIsSaid() {
        runner.withBean(EmbeddedDatabase.class, OutboxTesterAutoConfigurationTest::database)
                .withPropertyValues("outbox.auto-startup=true")
                .run(context -> assertThatIllegalStateException()
                        .isThrownBy(context.getBean(OutboxTester.class)::deliverDue)
                        .withMessageContaining("not started"));
    }
}
