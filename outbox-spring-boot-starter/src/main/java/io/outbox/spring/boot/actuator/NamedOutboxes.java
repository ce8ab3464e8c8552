package io.outbox.spring.boot.actuator;

import io.outbox.Outbox;
import io.outbox.spring.boot.OutboxFactory;
import java.util.Map;
import java.util.TreeMap;

/**
 * The outboxes of the application by the names that listeners and meters have for them; one without a name by that of
 * its bean.
 */
record NamedOutboxes(Map<String, Outbox> byName) {

    /** @param factory what has given names to outboxes, or {@code null} */
    static NamedOutboxes of(Map<String, Outbox> beans, OutboxFactory factory) {
        Map<String, Outbox> byName = new TreeMap<>();
        if (factory != null) {
            factory.names().forEach(name -> byName.put(name, factory.get(name)));
        }
        byName.values().retainAll(beans.values());
        beans.forEach((bean, outbox) -> {
            if (!byName.containsValue(outbox)) {
                byName.put(byName.containsKey(bean) ? "bean " + bean : bean, outbox);
            }
        });
        return new NamedOutboxes(byName);
    }
}
