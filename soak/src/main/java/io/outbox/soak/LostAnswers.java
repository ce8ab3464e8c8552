package io.outbox.soak;

import io.outbox.soak.Store.Trouble;
import io.outbox.testservers.TcpProxy;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Connections that are reset again and again, each time when the server has had some time for requests whose answers
 * have not come back. Used by one thread.
 */
final class LostAnswers implements Trouble {

    private static final int ANSWERS_HELD_MS = 15;
    /** Long enough to connect again and get something done. */
    private static final int PAUSE_MS = 120;

    private final List<TcpProxy> proxies;
    private final Thread cutter = new Thread(this::cutAgainAndAgain, "lost-answers");

    LostAnswers(List<TcpProxy> proxies) {
        this.proxies = proxies;
    }

    @Override
    public Set<String> begin() {
        cutter.start();
        return Set.of();
    }

    @Override
    public void end() throws InterruptedException {
        cutter.interrupt();
        cutter.join();
    }

    private void cutAgainAndAgain() {
        try {
            while (true) {
                cut();
                TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
            }
        } catch (InterruptedException over) {
            // which is how it ends
        }
    }

    private void cut() throws InterruptedException {
        proxies.forEach(TcpProxy::stallAnswers);
        try {
            TimeUnit.MILLISECONDS.sleep(ANSWERS_HELD_MS);
            proxies.forEach(TcpProxy::resetAll);
        } finally {
            proxies.forEach(TcpProxy::resume);
        }
    }
}
