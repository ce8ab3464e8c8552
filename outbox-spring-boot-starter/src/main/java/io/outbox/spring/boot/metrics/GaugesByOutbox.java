package io.outbox.spring.boot.metrics;

import io.micrometer.core.instrument.Tags;
import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxFactory;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Makes gauges once there are all outboxes: with a factory for each outbox, with its name as a tag, otherwise without a
 * tag. They are removed with the application.
 */
final class GaugesByOutbox implements SmartInitializingSingleton, DisposableBean {

    private final ListableBeanFactory beans;
    private final BiFunction<Tags, Collection<Outbox>, AutoCloseable> gauges;
    private final List<AutoCloseable> made = new ArrayList<>();

    /** @param gauges makes the gauges of these outboxes, with these tags */
    GaugesByOutbox(ListableBeanFactory beans, BiFunction<Tags, Collection<Outbox>, AutoCloseable> gauges) {
        this.beans = beans;
        this.gauges = gauges;
    }

    @Override
    public void afterSingletonsInstantiated() {
        Map<String, Outbox> outboxes = BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, Outbox.class);
        OutboxFactory factory = beans.getBeanProvider(OutboxFactory.class).getIfAvailable();
        if (factory == null || factory.names().isEmpty()) {
            made.add(gauges.apply(Tags.empty(), outboxes.values()));
            return;
        }
        Map<Outbox, String> names = new HashMap<>();
        outboxes.forEach((bean, outbox) -> names.put(outbox, bean));
        factory.names().forEach(name -> names.replace(factory.get(name), name));
        names.forEach((outbox, name) -> made.add(gauges.apply(Tags.of("outbox", name), List.of(outbox))));
    }

    @Override
    public void destroy() throws Exception {
        for (AutoCloseable each : made) {
            each.close();
        }
    }
}
