package io.outbox.testing.contract;

import io.outbox.spi.ClaimedPage;
import io.outbox.spi.OutboxBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers which events were claimed and given back through its backend. Thread-safe. */
final class ClaimRecord {

    private final OutboxBackend target;
    private final OutboxBackend backend;
    private final Set<String> claimed = ConcurrentHashMap.newKeySet();
    private final Set<String> released = ConcurrentHashMap.newKeySet();

    ClaimRecord(OutboxBackend target) {
        this.target = target;
        this.backend = (OutboxBackend) Proxy.newProxyInstance(
                OutboxBackend.class.getClassLoader(),
                new Class<?>[] {OutboxBackend.class},
                (proxy, method, args) -> call(method, args));
    }

    private Object call(Method method, Object[] args) throws Throwable {
        Object result;
        try {
            result = method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (result instanceof ClaimedPage page) {
            page.events().forEach(event -> claimed.add(event.eventId()));
        } else if (method.getName().equals("release")) {
            ((Collection<?>) args[1]).forEach(id -> released.add((String) id));
        }
        return result;
    }

    /** Returns the backend to be used. */
    OutboxBackend backend() {
        return backend;
    }

    Set<String> claimed() {
        return claimed;
    }

    Set<String> released() {
        return released;
    }
}
