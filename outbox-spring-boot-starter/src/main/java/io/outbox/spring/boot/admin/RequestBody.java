package io.outbox.spring.boot.admin;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** The body of a request: read within a time limit, or left unread without a thread that waits for the rest of it. */
final class RequestBody {

    private static final Duration LONGEST = Duration.ofSeconds(30);
    private static final Duration UNREAD = Duration.ofSeconds(2);

    private RequestBody() {}

    /** Reads some bytes at most. The container's own time limit is for each single read. */
    static byte[] read(InputStream in, int most) throws IOException {
        long end = System.nanoTime() + LONGEST.toNanos();
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        int count = 0;
        while (count >= 0 && body.size() < most) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("The body takes more than " + LONGEST);
            }
            count = in.read(part, 0, Math.min(part.length, most - body.size()));
            body.write(part, 0, Math.max(0, count));
        }
        return body.toByteArray();
    }

    static boolean isUnread(HttpServletRequest request) throws IOException {
        return request.isAsyncSupported() && !request.getInputStream().isFinished();
    }

    /**
     * Passes over what is still to come, for a moment, so that the other end gets to read its answer. A container that
     * is left with a body does so, too, but with a thread of the application's that waits as long as the other end
     * likes.
     */
    static void discard(HttpServletRequest request) throws IOException {
        AsyncContext async = request.startAsync();
        async.setTimeout(UNREAD.toMillis());
        Discarding discarding = new Discarding(async, request.getInputStream());
        async.addListener(discarding);
        request.getInputStream().setReadListener(discarding);
    }

    private record Discarding(AsyncContext async, ServletInputStream in) implements ReadListener, AsyncListener {

        @Override
        public void onDataAvailable() throws IOException {
            byte[] part = new byte[8192];
            while (in.isReady() && !in.isFinished()) {
                if (in.read(part) < 0) {
                    return;
                }
            }
        }

        @Override
        public void onAllDataRead() {
            async.complete();
        }

        @Override
        public void onError(Throwable e) {
            async.complete();
        }

        @Override
        public void onTimeout(AsyncEvent event) {
            async.complete();
        }

        @Override
        public void onError(AsyncEvent event) {
            // the other end is gone, which the reader is told of
        }

        @Override
        public void onComplete(AsyncEvent event) {
            // nothing is left to be done
        }

        @Override
        public void onStartAsync(AsyncEvent event) {
            // nobody starts it again
        }
    }
}
