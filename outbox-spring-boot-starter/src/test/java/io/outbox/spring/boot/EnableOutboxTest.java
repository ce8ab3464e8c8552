package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.admin.OutboxAdmin;
import io.outbox.spring.boot.admin.OutboxAdminAutoConfiguration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionEvaluationReport;
import org.springframework.boot.context.annotation.ImportCandidates;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The annotation does what auto-configuration would do, and nothing else. */
class EnableOutboxTest {

    @Configuration(proxyBeanMethods = false)
    @EnableOutbox
    @Import(PlainApplication.class)
    static class WithoutAutoConfiguration {}

    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withUserConfiguration(WithoutAutoConfiguration.class);

    @Test
    void importsEveryAutoConfigurationOfTheOutboxAndNoOther() {
        List<String> ofTheOutbox = ImportCandidates.load(AutoConfiguration.class, null).getCandidates().stream()
                .filter(name -> name.startsWith("io.outbox."))
                .toList();

        runner.run(context -> assertThat(autoConfigurations(context))
                .hasSizeGreaterThan(8)
                .containsExactlyInAnyOrderElementsOf(ofTheOutbox));
    }

    /** All of them have conditions, so each is in the report, be it met or not. */
    private static List<String> autoConfigurations(AssertableApplicationContext context) {
        return ConditionEvaluationReport.get(context.getBeanFactory())
                .getConditionAndOutcomesBySource()
                .keySet()
                .stream()
                .filter(source -> source.endsWith("AutoConfiguration"))
                .toList();
    }

    @Test
    void bringsTheAdministrationToo() {
        runner.withPropertyValues("outbox.admin.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(OutboxAdmin.class));
    }

    @Test
    void leavesOutWhatTheApplicationExcludes() {
        runner.withPropertyValues(
                        "outbox.admin.enabled=true",
                        "spring.autoconfigure.exclude=org.springframework.boot.autoconfigure.aop.AopAutoConfiguration,"
                                + OutboxAdminAutoConfiguration.class.getName())
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(OutboxAdmin.class));
    }
}
