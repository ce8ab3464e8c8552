package io.outbox.spring.boot.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.BDDMockito.then;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.times;

import io.outbox.spring.boot.test.shop.Confirmations;
import io.outbox.spring.boot.test.shop.Orders;
import io.outbox.spring.boot.test.shop.RecordingMailer;
import io.outbox.spring.boot.test.shop.Shop;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** The application's own beans as mocks: what a listener calls, and the listener itself under observation. */
@SpringBootTest(classes = Shop.class)
@AutoConfigureOutboxTester
class MockedBeansTest {

    @MockitoBean
    RecordingMailer mailer;

    @MockitoSpyBean
    Confirmations confirmations;

    @Autowired
    Orders orders;

    @Autowired
    OutboxTester outbox;

    @Test
    void whatAListenerCallsIsMocked() {
        willThrow(new IllegalStateException("no route to host"))
                .willDoNothing()
                .given(mailer)
                .send(any());
        orders.place("4711", 3);

        assertThat(outbox.deliverAll()).isEqualTo(2);

        assertThat(outbox).hasWritten("OrderPlaced").delivered();
        then(mailer).should(times(2)).send("Thank you for order 4711");
    }

    @Test
    void aListenerIsObserved() {
        orders.place("4711", 3);
        outbox.deliverDue();

        then(confirmations).should().onEvent(any());
    }
}
