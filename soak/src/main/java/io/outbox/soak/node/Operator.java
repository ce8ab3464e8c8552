package io.outbox.soak.node;

import io.outbox.BlockedKeys;
import io.outbox.model.BlockedKey;
import io.outbox.soak.ledger.Entry.Skipped;
import io.outbox.soak.ledger.Ledger;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Somebody who skips hopeless events as soon as they block their keys, for as long as the process lives. */
final class Operator {

    private static final int PAUSE_MS = 100;
    private static final int MOST = 100;

    private Operator() {}

    static void start(BlockedKeys blocked, Ledger ledger) {
        Thread thread = new Thread(() -> skipAll(blocked, ledger), "soak-operator");
        thread.setDaemon(true);
        thread.start();
    }

    private static void skipAll(BlockedKeys blocked, Ledger ledger) {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                skipSome(blocked, ledger);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void skipSome(BlockedKeys blocked, Ledger ledger) {
        try {
            for (BlockedKey key : blocked.list(MOST)) {
                ledger.append(new Skipped(key.event().eventId(), Instant.now()));
                blocked.skip(key.key(), key.event().eventId(), "hopeless");
            }
        } catch (RuntimeException e) {
            // the store is not there for now, or nothing is any more
        }
    }
}
