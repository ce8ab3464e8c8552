package io.outbox.admin;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The bodies of requests that are in memory: few at a time, each of them as large as its call needs at most. Only calls
 * that have a body ask for it, and only once it is decided that the caller may make them. So what all others send is
 * never kept. Thread-safe.
 */
final class Bodies {

    private static final int MOST = 4;
    private static final int MOST_WAITING = 8;
    private static final long WAIT_MILLIS = 2000;

    private final Semaphore room = new Semaphore(MOST, true);

    /** The body of one request, if it is asked for; kept until this is closed. */
    final class Slot implements AutoCloseable {

        private boolean isTaken;

        byte[] read(AdminRequest request, int most) {
            if (declaredLength(request) > most) {
                throw Problem.tooLarge(most);
            }
            take();
            try {
                byte[] body = request.body().read(most + 1);
                if (body.length > most) {
                    throw Problem.tooLarge(most);
                }
                return body;
            } catch (IOException e) {
                throw Problem.incomplete();
            }
        }

        private void take() {
            try {
                isTaken = room.tryAcquire()
                        || (room.getQueueLength() < MOST_WAITING
                                && room.tryAcquire(WAIT_MILLIS, TimeUnit.MILLISECONDS));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            if (!isTaken) {
                throw Problem.tooManyBodies(MOST);
            }
        }

        @Override
        public void close() {
            if (isTaken) {
                room.release();
            }
        }
    }

    Slot slot() {
        return new Slot();
    }

    private static long declaredLength(AdminRequest request) {
        try {
            String length = request.header("Content-Length");
            return length == null ? 0 : Long.parseLong(length.strip());
        } catch (NumberFormatException e) {
            throw Problem.badRequest("Content-Length must be a number");
        }
    }
}
