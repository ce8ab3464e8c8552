package io.outbox.spring.boot.modulith;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Explains a {@link ModulithSetupException} the way Spring Boot explains failed starts. */
final class ModulithSetupAnalyzer extends AbstractFailureAnalyzer<ModulithSetupException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ModulithSetupException cause) {
        return new FailureAnalysis(cause.getMessage(), cause.remedy(), cause);
    }
}
