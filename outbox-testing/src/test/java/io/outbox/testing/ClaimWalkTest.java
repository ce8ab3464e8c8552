package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.OutboxBackend;
import io.outbox.spi.OutboxBackend.ClaimRequest;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
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

        open(on(recordingClaims(), Outbox.multiNode()).claimLocking("a", LEASE).batchSize(BATCH));

        awaitStatus(EventStatus.DONE, backlog);
        assertThat(claims.remove().after()).isNull();
        assertThat(claims)
                .hasSizeGreaterThanOrEqualTo(4)
                .allSatisfy(claim -> assertThat(claim.after()).isNotNull());
        assertThat(claims).extracting(claim -> claim.after().eventId()).isSorted();
    }

    private OutboxBackend recordingClaims() {
        return (OutboxBackend) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxBackend.class}, (proxy, method, args) -> {
                    if (method.getName().equals("claim")) {
                        claims.add((ClaimRequest) args[0]);
                    }
                    try {
                        return method.invoke(backend, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
