package io.outbox.dispatch;

import io.outbox.spi.MetricsExporter;
import java.lang.System.Logger.Level;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;

/** Keeps the failures of an exporter away from delivery: they are logged, the first time as a warning. */
final class QuietMetrics {

    private static final System.Logger LOG = System.getLogger(QuietMetrics.class.getName());

    private QuietMetrics() {}

    static MetricsExporter of(MetricsExporter exporter) {
        if (exporter == MetricsExporter.NOOP) {
            return exporter;
        }
        AtomicBoolean warned = new AtomicBoolean();
        return (MetricsExporter) Proxy.newProxyInstance(
                QuietMetrics.class.getClassLoader(), new Class<?>[] {MetricsExporter.class}, (proxy, method, args) -> {
                    try {
                        return method.invoke(exporter, args);
                    } catch (InvocationTargetException e) {
                        Level level = warned.compareAndSet(false, true) ? Level.WARNING : Level.DEBUG;
                        LOG.log(level, "The metrics exporter failed in " + method.getName(), e.getCause());
                        return null;
                    }
                });
    }
}
