package io.outbox.testing.contract;

import io.outbox.spi.OutboxBackend;
import io.outbox.spi.TransactionEnd;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A backend whose writes are slow: after each of them, and again before its end is told, those who read due events have
 * had their turn. So whatever can meet an event between its insert, its commit and its callback does meet it there.
 * Thread-safe.
 */
final class SlowWrites {

    private static final Set<String> READING = Set.of("fetch", "claim");
    /** So many that one at least began after the write had been made, and has been dealt with. */
    private static final int READS = 3;
    /** In case nobody reads. */
    private static final long LONGEST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final OutboxBackend target;
    private final OutboxBackend backend;
    private long reads;

    SlowWrites(OutboxBackend target) {
        this.target = target;
        this.backend = (OutboxBackend) Proxy.newProxyInstance(
                OutboxBackend.class.getClassLoader(),
                new Class<?>[] {OutboxBackend.class},
                (proxy, method, args) -> call(method, args));
    }

    /** Returns the backend to be used. */
    OutboxBackend backend() {
        return backend;
    }

    private Object call(Method method, Object[] args) throws Throwable {
        if (method.getName().equals("afterCompletion")) {
            target.afterCompletion(late(args[0]));
            return null;
        }
        Object result;
        try {
            result = method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (method.getName().equals("persist")) {
            awaitReads();
        } else if (READING.contains(method.getName())) {
            countRead();
        }
        return result;
    }

    @SuppressWarnings("unchecked") // the one parameter of afterCompletion
    private Consumer<TransactionEnd> late(Object callback) {
        return end -> {
            awaitReads();
            ((Consumer<TransactionEnd>) callback).accept(end);
        };
    }

    private synchronized void countRead() {
        reads++;
        notifyAll();
    }

    private synchronized void awaitReads() {
        long enough = reads + READS;
        long giveUpAt = System.nanoTime() + LONGEST_WAIT_NANOS;
        for (long left; reads < enough && (left = giveUpAt - System.nanoTime()) > 0; ) {
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }
}
