package io.outbox.spring.boot.consumer.brokers;

/**
 * The call of a listener, whose exceptions come out as they are, checked ones too: containers decide by their types.
 */
@FunctionalInterface
interface ListenerCall {

    void run() throws Exception;

    /** Returns the call as an operation of a consumer that returns whether it ran. */
    default boolean proceed() {
        try {
            run();
            return true;
        } catch (Exception e) {
            throw asItWas(e);
        }
    }

    /** Throws an exception as it is, be it checked. */
    static RuntimeException asItWas(Exception e) {
        throw ListenerCall.<RuntimeException>thrown(e);
    }

    @SuppressWarnings("unchecked")
    private static <E extends Exception> E thrown(Exception e) throws E {
        throw (E) e;
    }
}
