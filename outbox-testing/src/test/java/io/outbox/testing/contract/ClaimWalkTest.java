package io.outbox.testing.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.poller.OutboxPoller;
import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DueEvent;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.PageCursor;
import io.outbox.testing.InMemoryOutboxBackend;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A node that drains a backlog walks through it, rather than over its own claims again for each batch. */
class ClaimWalkTest extends InMemoryOutboxTest {

    private static final String TYPE = "Walked";
    private static final int BATCH = 20;

    private final Queue<ClaimRequest> claims = new ConcurrentLinkedQueue<>();

    @Test
    void eachBatchOfADrainFollowsTheOneBefore() {
        registry.register(TYPE, deliveries.succeeding());
        List<String> backlog;
        try (Outbox writer = on(backend, Outbox.writerOnly()).build()) {
            backlog = write(writer, events(TYPE, 5 * BATCH));
        }

        open(on(recordingClaims(request -> backend.claim(request)), Outbox.multiNode())
                .claimLocking("a", LEASE)
                .minIntervalMs(NEVER_MS)
                .batchSize(BATCH));

        awaitStatus(EventStatus.DONE, backlog);
        assertThat(claims.remove().after()).isNull();
        assertThat(claims)
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(claim -> assertThat(claim.after()).isNotNull());
        assertThat(claims).extracting(ClaimRequest::after).doesNotHaveDuplicates();
    }

    @Test
    void aWalkWithoutEndTurnsBackToWhatLiesBehindIt() {
        OutboxBackend endless = recordingClaims(request -> {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
            List<DueEvent> rows = Stream.generate(ClaimWalkTest::freshRow)
                    .limit(request.limit())
                    .toList();
            return new ClaimedPage(rows, 0, new PageCursor() {});
        });

        try (OutboxPoller poller = OutboxPoller.builder()
                .backend(endless)
                .handler((event, attempts) -> true)
                .claimLocking("a", LEASE)
                .intervalMs(NEVER_MS)
                .build()) {
            poller.start();
            awaitThat(() -> assertThat(claims)
                    .filteredOn(claim -> claim.after() == null)
                    .hasSizeGreaterThan(2));
        }

        assertThat(claims)
                .filteredOn(claim -> claim.after() != null)
                .as("it walks in between")
                .hasSizeGreaterThan(10);
    }

    @Test
    void aDelayedEventIsOnTimeThoughTheClockOfTheStoreIsBehind() {
        registry.register(TYPE, deliveries.succeeding());
        InMemoryOutboxBackend behind =
                new InMemoryOutboxBackend(Clock.offset(Clock.systemUTC(), Duration.ofMillis(-300)));
        Outbox outbox = open(on(behind, Outbox.multiNode()).claimLocking("a", LEASE));
        EventEnvelope delayed = EventEnvelope.builder(TYPE)
                .payloadJson("{}")
                .deliverAfter(Duration.ofMillis(100))
                .build();

        behind.inTransaction(() -> outbox.writer().write(delayed));

        awaitThat(() -> assertThat(behind.find(delayed.eventId()).orElseThrow().status())
                .isEqualTo(EventStatus.DONE));
    }

    private static DueEvent freshRow() {
        Instant now = Instant.now();
        String id = UUID.randomUUID().toString();
        return new DueEvent(new OutboxEvent(id, TYPE, "", null, null, "{}", null, 0, now, now), null);
    }

    private OutboxBackend recordingClaims(Function<ClaimRequest, ClaimedPage> claim) {
        return (OutboxBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxBackend.class}, (proxy, method, args) -> {
                    if (method.getName().equals("claim")) {
                        claims.add((ClaimRequest) args[0]);
                        return claim.apply((ClaimRequest) args[0]);
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
