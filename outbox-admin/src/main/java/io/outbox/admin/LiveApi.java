package io.outbox.admin;

import java.util.Map;

/** What is new, for as long as somebody listens. */
final class LiveApi implements AutoCloseable {

    private final LiveFeed feed;

    LiveApi(FiguresApi figures, StoreReads reads) {
        this.feed = new LiveFeed(() -> reads.read(figures::live), LiveFeed.PACE);
    }

    void addTo(Routes routes, String api) {
        routes.getWithoutStore(api + "/live", exchange -> live());
    }

    private AdminResponse live() {
        if (!feed.hasRoom()) {
            throw Problem.tooManyStreams(LiveFeed.MOST_STREAMS);
        }
        // The second header is for proxies that would keep what is written until it is worth sending.
        return AdminResponse.streamed("text/event-stream", Map.of("X-Accel-Buffering", "no"), feed::start);
    }

    @Override
    public void close() {
        feed.close();
    }
}
