package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.OutboxStoreException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Connections to a server that only reads are dropped, but not for ever in a tight loop. */
class StaleConnectionsTest {

    private final AtomicLong nanos = new AtomicLong();
    private boolean meantToRead;
    private final AtomicInteger aborted = new AtomicInteger();
    private final StaleConnections stale = new StaleConnections(nanos::get);
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                switch (method.getName()) {
                    case "isReadOnly":
                        return meantToRead;
                    case "unwrap":
                        return proxy;
                    case "abort":
                        aborted.incrementAndGet();
                        return null;
                    default:
                        throw new UnsupportedOperationException(method.getName());
                }
            });

    private int dropAll() {
        int dropped = 0;
        while (stale.drop(connection)) {
            dropped++;
        }
        return dropped;
    }

    @Test
    void asManyAsAPoolMayHaveAreDroppedInARowAndThenOneASecond() {
        assertThat(dropAll()).isEqualTo(20);

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(900));
        assertThat(dropAll()).isZero();
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(2_200));
        assertThat(dropAll()).isEqualTo(3);
        nanos.addAndGet(TimeUnit.HOURS.toNanos(1));
        assertThat(dropAll()).isEqualTo(20);
        assertThat(aborted).hasValue(43);
    }

    @Test
    void aConnectionOnWhichTheServerRefusedToWriteIsDroppedAfterTheTransaction() {
        Optional<Runnable> afterwards = stale.afterFailedWrite(connection, failure("25006"));

        assertThat(aborted).hasValue(0);
        afterwards.orElseThrow().run();
        assertThat(aborted).hasValue(1);
    }

    @Test
    void aConnectionIsKeptAfterOtherFailuresAndIfTheApplicationAskedForATransactionThatOnlyReads() {
        assertThat(stale.afterFailedWrite(connection, failure("23505"))).isEmpty();
        assertThat(stale.afterFailedWrite(connection, new IllegalStateException()))
                .isEmpty();

        meantToRead = true;
        assertThat(stale.afterFailedWrite(connection, failure("25006"))).isEmpty();
    }

    private static OutboxStoreException failure(String state) {
        return new OutboxStoreException("refused", new SQLException("refused", state));
    }

    @Test
    void afterAChangeTheOthersAreWorthDroppingAgain() {
        dropAll();

        stale.changed();

        assertThat(dropAll()).isEqualTo(20);
    }
}
