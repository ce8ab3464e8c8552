package io.outbox.spring.boot.modulith.shop;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application of Spring Modulith: its JDBC starter, an event that is externalized and one that is not. */
@SpringBootApplication
public class ShopApplication {

    /** Starts it on a database in memory, with further beans and settings. */
    public static ConfigurableApplicationContext start(List<Class<?>> beans, String... settings) {
        List<Class<?>> sources = new ArrayList<>(beans);
        sources.add(ShopApplication.class);
        return new SpringApplicationBuilder(sources.toArray(Class<?>[]::new))
                .web(WebApplicationType.NONE)
                .properties(
                        "spring.datasource.url=jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1",
                        "spring.kafka.bootstrap-servers=127.0.0.1:1",
                        "spring.main.banner-mode=off",
                        "outbox.poller.interval=50ms",
                        "outbox.retry.base-delay=50ms",
                        "outbox.retry.max-delay=100ms")
                .run(Arrays.stream(settings).map(setting -> "--" + setting).toArray(String[]::new));
    }
}
