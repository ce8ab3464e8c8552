package io.outbox.spring.boot.internal.listeners;

/** What is wrong with a listener, and how to mend it. */
final class ListenerMistake extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final String remedy;

    ListenerMistake(String problem, String remedy) {
        super(problem);
        this.remedy = remedy;
    }

    static void unless(boolean fulfilled, String problem, String remedy) {
        if (!fulfilled) {
            throw new ListenerMistake(problem, remedy);
        }
    }

    String remedy() {
        return remedy;
    }
}
