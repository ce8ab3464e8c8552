package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.testing.StoredEvent;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Rules of the transitions of a store: guarded by status, and unlocking. */
abstract class StoreMarkRules extends StoreRules {

    StoreMarkRules(OutboxStoreContract contract) {
        super(contract);
    }

    @Test
    void markDoneEndsTheEventOnce() {
        String id = insertLocked();
        Instant before = Instant.now().minusSeconds(5);

        assertThat(store.markDone(conn, id)).isEqualTo(1);

        StoredEvent done = stored(id);
        assertThat(done.status()).isEqualTo(EventStatus.DONE);
        assertThat(done.doneAt()).isBetween(before, Instant.now().plusSeconds(5));
        assertUnlocked(done);
        assertThat(store.markDone(conn, id)).isZero();
        assertThat(stored(id)).isEqualTo(done);
    }

    @Test
    void markRetryCountsTheAttemptAndSchedulesTheNext() {
        String id = insertLocked();

        assertThat(store.markRetry(conn, id, now.plusSeconds(30), "first")).isEqualTo(1);

        StoredEvent retry = stored(id);
        assertThat(retry.status()).isEqualTo(EventStatus.RETRY);
        assertThat(retry.attempts()).isEqualTo(1);
        assertThat(retry.availableAt()).isEqualTo(now.plusSeconds(30));
        assertThat(retry.lastError()).isEqualTo("first");
        assertUnlocked(retry);
        assertThat(store.markRetry(conn, id, now.plusSeconds(60), null)).isEqualTo(1);
        assertThat(stored(id).attempts()).isEqualTo(2);
        assertThat(stored(id).lastError()).isNull();
    }

    @Test
    void markDeadKeepsTheErrorAndTheAttempts() {
        String id = insertLocked();
        store.markRetry(conn, id, now, "first");

        assertThat(store.markDead(conn, id, "given up")).isEqualTo(1);

        StoredEvent dead = stored(id);
        assertThat(dead.status()).isEqualTo(EventStatus.DEAD);
        assertThat(dead.attempts()).isEqualTo(1);
        assertThat(dead.lastError()).isEqualTo("given up");
        assertUnlocked(dead);
    }

    @Test
    void markDeferredReschedulesWithoutAnAttempt() {
        String id = insertLocked();
        store.markRetry(conn, id, now.minusSeconds(1), "first");

        assertThat(store.markDeferred(conn, id, now.plusSeconds(30))).isEqualTo(1);

        StoredEvent deferred = stored(id);
        assertThat(deferred.status()).isEqualTo(EventStatus.NEW);
        assertThat(deferred.attempts()).isEqualTo(1);
        assertThat(deferred.availableAt()).isEqualTo(now.plusSeconds(30));
        assertUnlocked(deferred);
    }

    @Test
    void finishedEventsAreNotMarkedAgain() {
        String done = insert(event(0));
        String dead = insert(event(1));
        store.markDone(conn, done);
        store.markDead(conn, dead, "the end");

        for (String id : List.of(done, dead)) {
            StoredEvent before = stored(id);
            assertThat(store.markDone(conn, id)).isZero();
            assertThat(store.markRetry(conn, id, now, "late")).isZero();
            assertThat(store.markDead(conn, id, "late")).isZero();
            assertThat(store.markDeferred(conn, id, now)).isZero();
            assertThat(stored(id)).isEqualTo(before);
        }
    }

    @Test
    void unknownEventsAreNotMarked() {
        assertThat(store.markDone(conn, "unknown")).isZero();
        assertThat(store.markRetry(conn, "unknown", now, "x")).isZero();
        assertThat(store.markDead(conn, "unknown", "x")).isZero();
        assertThat(store.markDeferred(conn, "unknown", now)).isZero();
    }

    @Test
    void errorsAreCutToWhatFitsEveryDatabase() {
        String retry = insert(event(0));
        String dead = insert(event(1));
        String tooLong = "ä".repeat(5_000);

        store.markRetry(conn, retry, now, tooLong);
        store.markDead(conn, dead, tooLong);

        assertThat(stored(retry).lastError()).isEqualTo("ä".repeat(Outcome.MAX_ERROR_LENGTH));
        assertThat(stored(dead).lastError()).isEqualTo("ä".repeat(Outcome.MAX_ERROR_LENGTH));
    }
}
