package io.outbox.support;

import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Proxy;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** An exporter every method of which throws. */
public final class ThrowingMetrics {

    private final Set<String> called = ConcurrentHashMap.newKeySet();
    private final MetricsExporter exporter;

    public ThrowingMetrics(Supplier<? extends Throwable> failure) {
        this.exporter = (MetricsExporter) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    called.add(method.getName());
                    throw failure.get();
                });
    }

    public MetricsExporter exporter() {
        return exporter;
    }

    /** Returns the names of the methods that were called. */
    public Set<String> called() {
        return Set.copyOf(called);
    }
}
