package io.outbox.spring.boot.modulith;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.core.env.StandardEnvironment;

class SeveralInstancesTest {

    @ParameterizedTest
    @CsvSource({
        "outbox.other, '', multi-node",
        "outbox.mode, '', multi-node",
        "outbox.claim-locking.enabled, '', multi-node",
        "outbox.mode, single-node, single-node",
        "outbox.publisher.enabled, false, "
    })
    void theInstancesShareEventsUnlessTheApplicationSaysOtherwise(String key, String value, String mode) {
        StandardEnvironment environment = new StandardEnvironment();
        TestPropertyValues.of("outbox.modulith.listeners=true", key + "=" + value)
                .applyTo(environment);

        new SeveralInstances().postProcessEnvironment(environment, new SpringApplication());

        assertThat(environment.getProperty("outbox.mode")).isEqualTo(mode);
    }
}
