package io.outbox.testing.contract;

import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackendException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** A backend as one node sees it whose renewals of locks can fail, while all else works. */
final class RenewalGate {

    private final OutboxBackend backend;
    private final AtomicInteger refused = new AtomicInteger();
    private volatile Predicate<Collection<?>> fails = ids -> false;

    RenewalGate(OutboxBackend target) {
        this.backend = (OutboxBackend) Proxy.newProxyInstance(
                RenewalGate.class.getClassLoader(), new Class<?>[] {OutboxBackend.class}, (proxy, method, args) -> {
                    if (method.getName().equals("renew") && fails.test((Collection<?>) args[1])) {
                        refused.incrementAndGet();
                        throw new OutboxBackendException("the database is not reachable");
                    }
                    try {
                        return method.invoke(target, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    OutboxBackend backend() {
        return backend;
    }

    /** Makes renewals fail from now on. */
    void shut() {
        fails = ids -> true;
    }

    /** Lets renewals succeed from now on. */
    void open() {
        fails = ids -> false;
    }

    /** Makes renewals fail for which this holds; they are told the ids of the events. */
    void failWhen(Predicate<Collection<?>> condition) {
        fails = condition;
    }

    /** Returns how many renewals have failed. */
    int refused() {
        return refused.get();
    }
}
