package io.outbox.spring.boot.internal.listeners;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Shows a listener that cannot be registered. */
final class ListenerFailureAnalyzer extends AbstractFailureAnalyzer<ListenerRegistrationException> {

    private static final String ANY_MISTAKE =
            "Correct the listener: @OutboxListener names its event type, and its outbox where there are several; a route has"
                    + " one listener, or several that are subscriptions. Or remove the annotation.";

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, ListenerRegistrationException cause) {
        return new FailureAnalysis(
                cause.getMessage() + ". Its events would never be delivered, so the application does not start.",
                cause.getCause() instanceof ListenerMistake mistake ? mistake.remedy() + "." : ANY_MISTAKE,
                cause);
    }
}
