package io.outbox.spring.boot.internal.failures;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows mistakes that the starter has found by itself. */
final class StartupFailureAnalyzer extends AbstractFailureAnalyzer<OutboxStartupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, OutboxStartupException cause) {
        return new FailureAnalysis(cause.problem() + ".", cause.remedy() + ".", cause);
    }
}
