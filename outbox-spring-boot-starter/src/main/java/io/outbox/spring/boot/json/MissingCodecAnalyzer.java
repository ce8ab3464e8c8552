package io.outbox.spring.boot.json;

import io.outbox.spi.JsonCodec;
import io.outbox.spring.boot.internal.failures.MissingBeanAnalyzer;
import java.util.Optional;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.core.env.Environment;

/** Shows why there is no codec. */
final class MissingCodecAnalyzer extends MissingBeanAnalyzer {

    MissingCodecAnalyzer(BeanFactory beans, Environment environment) {
        super(Set.of(JsonCodec.class), beans, environment);
    }

    @Override
    protected Optional<Explanation> explain(Class<?> type, ListableBeanFactory beans, Environment environment) {
        return because(
                "there is no JSON mapper to create it from",
                "Add com.fasterxml.jackson.core:jackson-databind or a JSON starter of Spring Boot; or define a bean of"
                        + " type JsonCodec, as of io.outbox:outbox-gson");
    }
}
