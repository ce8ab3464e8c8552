package io.outbox.soak.node;

import io.outbox.BlockedKeys;
import io.outbox.model.BlockedKey;
import java.util.concurrent.TimeUnit;

/** Somebody who skips hopeless events as soon as they block their keys, for as long as the process lives. */
final class Operator {

    private static final int PAUSE_MS = 100;
    private static final int MOST = 100;

    private Operator() {}

    static void start(BlockedKeys blocked) {
        Thread thread = new Thread(() -> skipAll(blocked), "soak-operator");
        thread.setDaemon(true);
        thread.start();
    }

    private static void skipAll(BlockedKeys blocked) {
        try {
            while (true) {
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
                skipSome(blocked);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void skipSome(BlockedKeys blocked) {
        try {
            for (BlockedKey key : blocked.list(MOST)) {
                blocked.skip(key.key(), key.event().eventId(), "hopeless");
            }
        } catch (RuntimeException e) {
            // the store is not there for now, or nothing is any more
        }
    }
}
