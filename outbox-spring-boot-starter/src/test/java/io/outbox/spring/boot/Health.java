package io.outbox.spring.boot;

import java.util.Map;
import org.springframework.beans.factory.BeanFactory;

/** What a health indicator says, whose types are in different packages in Spring Boot 3 and 4. */
record Health(String status, Map<?, ?> details) {

    static Health of(BeanFactory context) throws ReflectiveOperationException {
        Object indicator = context.getBean("outboxHealthIndicator");
        Object health = Class.forName(
                        indicator.getClass().getSuperclass().getInterfaces()[0].getName())
                .getMethod("health")
                .invoke(indicator);
        return new Health(
                health.getClass().getMethod("getStatus").invoke(health).toString(),
                (Map<?, ?>) health.getClass().getMethod("getDetails").invoke(health));
    }

    Object detail(String name) {
        return ((Map<?, ?>) details.get("outbox")).get(name);
    }
}
