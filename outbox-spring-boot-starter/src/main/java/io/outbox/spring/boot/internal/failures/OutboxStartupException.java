package io.outbox.spring.boot.internal.failures;

/** Ends the start of the application because of a mistake: says what is wrong, and what to do about it. */
public final class OutboxStartupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String problem;
    private final String remedy;

    /**
     * Creates the exception.
     *
     * @param problem what is wrong and what follows from it, a sentence without its full stop
     * @param remedy what to do about it, likewise
     */
    public OutboxStartupException(String problem, String remedy) {
        super(problem + ". " + remedy);
        this.problem = problem;
        this.remedy = remedy;
    }

    String problem() {
        return problem;
    }

    String remedy() {
        return remedy;
    }
}
