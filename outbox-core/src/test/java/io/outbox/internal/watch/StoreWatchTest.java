package io.outbox.internal.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.FetchRequest;
import io.outbox.support.Gate;
import io.outbox.support.Refusal;
import io.outbox.support.ScriptedBackend;
import io.outbox.support.ScriptedBackend.Op;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StoreWatchTest {

    private static final Duration LEASE = Duration.ofMillis(900);

    private final ScriptedBackend store = new ScriptedBackend();
    private final StoreWatch watch = new StoreWatch();
    private final DeliveryBackend backend = new WatchedBackend(store, watch);
    private final AtomicInteger recoveries = new AtomicInteger();

    private void fail() {
        store.down(Op.FETCH);
        assertThatIllegalStateException().isThrownBy(this::read);
        store.up();
    }

    private void read() {
        backend.fetch(FetchRequest.first(Instant.now(), 1));
    }

    private void awaitReliable() {
        await().atMost(Duration.ofSeconds(10))
                .pollInterval(Duration.ofMillis(5))
                .until(watch::isReliable);
    }

    @Test
    void aStoreThatAnswersIsReliableFromTheBeginning() {
        assertThat(watch.isReliable()).isTrue();

        read();

        assertThat(watch.isReliable()).isTrue();
        assertThat(watch.isFailing()).isFalse();
    }

    @Test
    void aStoreIsNotReliableFromAFailureUntilSomeTimeAfterItAnswersAgain() {
        watch.expect(LEASE);

        fail();
        assertThat(watch.isFailing()).isTrue();
        await().during(LEASE.multipliedBy(2)).atMost(Duration.ofSeconds(10)).until(() -> !watch.isReliable());
        long before = System.nanoTime();
        read();

        assertThat(watch.isFailing()).isFalse();
        assertThat(watch.isReliable()).isFalse();
        awaitReliable();
        assertThat(System.nanoTime() - before).isGreaterThanOrEqualTo(LEASE.toNanos());
    }

    @Test
    void theShorterTheTroubleTheShorterTheCaution() {
        watch.expect(Duration.ofMinutes(5));

        fail();
        long before = System.nanoTime();
        read();

        assertThat(watch.isReliable()).isFalse();
        awaitReliable();
        assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(3));
    }

    @Test
    void callsThatFailBetweenOthersThatSucceedAreOneTrouble() {
        watch.expect(Duration.ofMinutes(5));
        long begin = System.nanoTime();

        while (System.nanoTime() - begin < Duration.ofSeconds(1).toNanos()) {
            fail();
            read();
        }
        long end = System.nanoTime();

        awaitReliable();
        assertThat(Duration.ofNanos(System.nanoTime() - end)).isGreaterThan(Duration.ofMillis(2500));
    }

    @Test
    void anAnswerThatGotLostIsADoubtAndOneThatCameIsNot() {
        store.before(Op.RELEASE, call -> {
            throw new Refusal("not this one");
        });
        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> backend.release("node", List.of("e")));
        fail();
        assertThat(watch.doubts()).isZero();

        store.down(Op.RENEW);
        assertThatIllegalStateException().isThrownBy(() -> backend.renew("node", List.of("e")));

        assertThat(watch.doubts()).isEqualTo(1);
    }

    @Test
    void aStoreIsNotReliableWhileItKeepsACallWaitingAndForAWhileAfterwards() throws Exception {
        watch.expect(LEASE);
        Gate answer = new Gate();
        store.before(Op.FETCH, call -> answer.pass());
        CompletableFuture<Void> waiting = CompletableFuture.runAsync(this::read);
        answer.awaitReached();

        await().atMost(Duration.ofSeconds(10)).until(() -> !watch.isReliable());
        assertThat(watch.isFailing()).isFalse();
        backend.currentTime();
        assertThat(watch.isReliable()).as("another call was answered").isFalse();
        answer.open();
        waiting.get(10, TimeUnit.SECONDS);

        assertThat(watch.isReliable()).as("late").isFalse();
        awaitReliable();
    }

    @Test
    void aRefusalIsAnAnswer() {
        store.before(Op.RELEASE, call -> {
            throw new Refusal("not this one");
        });

        assertThatExceptionOfType(Refusal.class).isThrownBy(() -> backend.release("node", List.of("e")));

        assertThat(watch.isFailing()).isFalse();
        assertThat(watch.isReliable()).isTrue();
    }

    @Test
    void whoeverWantsToKnowIsToldOnceWhenTheStoreAnswersAgain() {
        watch.onRecovery(recoveries::incrementAndGet);

        read();
        fail();
        fail();
        assertThat(recoveries).hasValue(0);
        read();
        read();

        assertThat(recoveries).hasValue(1);
    }
}
