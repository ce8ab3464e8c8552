package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalysisReporter;

/** What an application says on the console when it does not start. */
public final class FailedStart implements FailureAnalysisReporter {

    private static final ThreadLocal<FailureAnalysis> LAST = new ThreadLocal<>();

    @Override
    public void report(FailureAnalysis analysis) {
        LAST.set(analysis);
    }

    /**
     * Starts an application with these settings, which must fail, and returns how that is explained. Without settings
     * it is a small one, since nothing asks for more.
     */
    static FailureAnalysis of(String settings, Class<?>... configurations) {
        LAST.remove();
        assertThatThrownBy(() -> new SpringApplicationBuilder(TestApplication.class)
                        .sources(configurations)
                        .web(WebApplicationType.NONE)
                        .properties(
                                settings.isEmpty()
                                        ? new String[] {TestApplication.ONLY_WHAT_THE_OUTBOX_NEEDS}
                                        : new String[0])
                        .run(settings.isEmpty() ? new String[0] : settings.split(" ")))
                .isInstanceOf(RuntimeException.class);
        assertThat(LAST.get()).as("analysis of the failure").isNotNull();
        return LAST.get();
    }
}
