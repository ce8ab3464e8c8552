package io.outbox.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.spring.boot.actuator.OutboxEndpoint;
import org.junit.jupiter.api.Test;
import org.mockito.Mockito;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.Lifecycle;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.bean.override.mockito.MockitoBean;

/** A test of an application in which a mock stands for the outbox: everything around it starts and stops as ever. */
@SpringBootTest(
        classes = {TestApplication.class, Deliveries.class},
        webEnvironment = WebEnvironment.NONE,
        properties = {
            "management.endpoints.web.exposure.include=*",
            "outbox.publisher.sender.type=kafka",
            "outbox.publisher.events.sent.topic=sent"
        })
@DirtiesContext
class MockedOutboxTest {

    @MockitoBean
    private Outbox outbox;

    @Autowired
    private ConfigurableApplicationContext context;

    @Test
    void startsWithAMockInPlaceOfTheOutbox() {
        assertThat(context.getBean(Outbox.class)).isSameAs(outbox);
        assertThat(context.getBean("outboxLifecycle", Lifecycle.class).isRunning())
                .isTrue();
        assertThat(context.getBean(OutboxEndpoint.class)).isNotNull();
        assertThat(context.getBeanFactory().containsSingleton("outboxBackend")).isFalse();
        Mockito.verify(outbox).start();

        context.stop();
        context.start();

        Mockito.verify(outbox, Mockito.times(2)).start();
    }
}
