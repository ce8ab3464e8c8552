package io.outbox.admin;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/**
 * The large answers that are being written: few at a time, each within a limited time, since each holds memory for as
 * long as its reader likes. What is written little by little counts as large. Thread-safe.
 *
 * <p>An answer has its permit before its status is sent, so that one too many can still be refused. A permit ends when
 * the answer is written, or by itself if a server never writes the answer.
 */
final class LargeAnswers {

    static final int MOST = 4;

    private static final int LARGE = 256 * 1024;
    private static final int MOST_WAITING = 16;
    private static final int PART = 8192;
    private static final Duration WAIT = Duration.ofSeconds(2);
    private static final Duration LONGEST = Duration.ofSeconds(60);

    private final Set<Permit> taken = new HashSet<>();
    private int waiting;

    /** Returns the answer; a {@link Problem} if it is large, and there is no room for it within two seconds. */
    AdminResponse admit(AdminRequest request, AdminResponse response) {
        long length = response.body().length();
        boolean isLarge = length < 0 || length > LARGE;
        if (!isLarge || request.target().method().equals("HEAD")) {
            return response;
        }
        return response.with(new Limited(response.body(), take()));
    }

    private synchronized Permit take() {
        long begun = System.nanoTime();
        waiting++;
        try {
            while (taken.size() >= MOST && taken.stream().noneMatch(Permit::isAbandoned)) {
                long left = WAIT.toMillis()
                        - Duration.ofNanos(System.nanoTime() - begun).toMillis();
                if (left <= 0 || waiting > MOST_WAITING) {
                    throw Problem.tooManyAnswers(MOST);
                }
                wait(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.tooManyAnswers(MOST);
        } finally {
            waiting--;
        }
        taken.removeIf(Permit::isAbandoned);
        Permit permit = new Permit();
        taken.add(permit);
        return permit;
    }

    private synchronized void release(Permit permit) {
        taken.remove(permit);
        notifyAll();
    }

    private static final class Permit {

        private final long begun = System.nanoTime();

        private boolean isOver() {
            return System.nanoTime() - begun > LONGEST.toNanos();
        }

        private boolean isAbandoned() {
            return System.nanoTime() - begun > 2 * LONGEST.toNanos();
        }
    }

    /** A body that is written while its permit lasts. */
    private final class Limited implements AdminResponse.Body {

        private final AdminResponse.Body body;
        private final Permit permit;

        private Limited(AdminResponse.Body body, Permit permit) {
            this.body = body;
            this.permit = permit;
        }

        @Override
        public long length() {
            return body.length();
        }

        @Override
        public void writeTo(OutputStream out) throws IOException {
            try {
                body.writeTo(new InParts(out, permit));
            } finally {
                release(permit);
            }
        }
    }

    /** Asks between small parts whether there is time for more. */
    private static final class InParts extends FilterOutputStream {

        private final Permit permit;

        private InParts(OutputStream out, Permit permit) {
            super(out);
            this.permit = permit;
        }

        @Override
        public void write(byte[] bytes, int start, int count) throws IOException {
            for (int written = 0; written < count; written += PART) {
                if (permit.isOver()) {
                    throw new IOException("An answer was not read within " + LONGEST.toSeconds() + " seconds");
                }
                out.write(bytes, start + written, Math.min(PART, count - written));
            }
        }
    }
}
