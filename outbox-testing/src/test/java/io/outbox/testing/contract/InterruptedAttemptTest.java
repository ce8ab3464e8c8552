package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.model.EventStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A listener that is interrupted by the end says nothing about its event, whatever the rules make of its exception. */
class InterruptedAttemptTest extends InMemoryOutboxTest {

    private static final String TYPE = "Interrupted";

    @ParameterizedTest
    @EnumSource(Mode.class)
    void goesBackAlthoughNoRuleRetriesOnInterrupts(Mode mode) throws Exception {
        CountDownLatch entered = new CountDownLatch(1);
        registry.register(TYPE, event -> {
            entered.countDown();
            new CountDownLatch(1).await();
            return null;
        });
        RetryPolicy onlyOnIo = RetryPolicy.fixed(Duration.ofSeconds(1)).retryOn(IOException.class);
        Outbox outbox = open(
                mode == Mode.SINGLE_NODE
                        ? on(backend, Outbox.singleNode()).retryPolicy(onlyOnIo)
                        : node("node", LEASE).retryPolicy(onlyOnIo));
        String id = write(outbox, events(TYPE, 1)).get(0);
        entered.await();

        outbox.close();

        assertThat(stored(id).status()).isEqualTo(EventStatus.NEW);
        assertThat(stored(id).attempts()).isZero();
        assertThat(stored(id).lockedBy()).isNull();
    }
}
