package io.outbox.util;

import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Makes numbered daemon threads, so that an outbox that was not closed does not keep the JVM alive. They have the
 * context class loader of the thread that made the factory, and inherit nothing from the one that happens to need a
 * thread.
 */
public final class DaemonThreadFactory implements ThreadFactory {

    private final String prefix;
    private final ClassLoader classLoader = Thread.currentThread().getContextClassLoader();
    private final AtomicInteger count = new AtomicInteger();

    public DaemonThreadFactory(String prefix) {
        this.prefix = Objects.requireNonNull(prefix, "prefix");
    }

    @Override
    public Thread newThread(Runnable task) {
        Thread thread = new Thread(null, task, prefix + count.incrementAndGet(), 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(classLoader);
        return thread;
    }
}
