package io.outbox.spring.boot.modulith;

/** Spring Modulith's events cannot be delivered as the application is set up. */
final class ModulithSetupException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    ModulithSetupException(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
