package io.outbox.admin;

import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tells all streams the same, as server-sent events.
 *
 * <p>While there are streams, one thread looks again and again, and leaves what it finds with each of them. It rests
 * for ten times as long as it looked, so that a store which is slow to answer is not asked more for being watched. Each
 * stream has a thread that writes, since a write lasts as long as the other end likes; what it has not written when
 * there is something newer it never writes. So a stalled viewer costs one thread and holds up nobody, and their number
 * is limited.
 *
 * <p>A stream ends when its other end is gone, which a write finds out; when the look fails, so that the viewer asks
 * and is told why; after a while, so that who may look is decided anew; and when the feed is closed. While a look takes
 * long, viewers are told so in place of a heartbeat, since what they see grows old. Thread-safe.
 */
final class LiveFeed implements AutoCloseable {

    /** How often is looked and written, and for how long. */
    record Pace(Duration rest, Duration heartbeat, Duration longest) {}

    static final Pace PACE = new Pace(Duration.ofSeconds(2), Duration.ofSeconds(5), Duration.ofMinutes(10));
    static final int MOST_STREAMS = 16;

    private static final System.Logger LOG = System.getLogger(LiveFeed.class.getName());
    private static final int REST_PER_LOOK = 10;
    private static final byte[] HEARTBEAT = ":\n\n".getBytes(StandardCharsets.UTF_8);

    private final Supplier<Object> look;
    private final Pace pace;
    private final Outage outage = new Outage(
            LOG,
            Level.WARNING,
            "Live updates are unavailable; the dashboard polls instead",
            "Live updates are available again");
    private final ScheduledThreadPoolExecutor looker =
            new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-live-"));
    private final ExecutorService writers = Executors.newCachedThreadPool(new DaemonThreadFactory("outbox-live-"));
    private final Set<Stream> streams = new LinkedHashSet<>();
    private byte[] latest;
    private boolean isLooking;
    private volatile long lookingSince;
    private volatile boolean isUnderWay;
    private volatile boolean isClosed;

    LiveFeed(Supplier<Object> look, Pace pace) {
        this.look = look;
        this.pace = pace;
        looker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Returns whether a stream more would be started. */
    synchronized boolean hasRoom() {
        return !isClosed && streams.size() < MOST_STREAMS;
    }

    /** Starts a stream; one that there is no room for ends at once. */
    void start(OutputStream out, Runnable end) {
        Stream stream = new Stream(out, end);
        synchronized (this) {
            if (hasRoom()) {
                streams.add(stream);
                writers.execute(stream);
                if (!isLooking) {
                    isLooking = true;
                    looker.execute(this::tell);
                } else if (latest != null) {
                    stream.offer(latest);
                }
                return;
            }
        }
        stream.end();
    }

    private void tell() {
        long begun = System.nanoTime();
        lookingSince = begun;
        isUnderWay = true;
        byte[] frame = frame();
        isUnderWay = false;
        long looked = System.nanoTime() - begun;
        synchronized (this) {
            streams.forEach(frame == null ? Stream::stop : stream -> stream.offer(frame));
            isLooking = frame != null && !streams.isEmpty() && !isClosed;
            latest = isLooking ? frame : null;
            if (isLooking) {
                long rest = Math.max(pace.rest.toNanos(), looked * REST_PER_LOOK);
                looker.schedule(this::tell, rest, TimeUnit.NANOSECONDS);
            }
        }
    }

    /**
     * Returns what is said while there is nothing new: that we are here, and for how long the store has not answered.
     */
    private byte[] sign() {
        Duration waited = Duration.ofNanos(System.nanoTime() - lookingSince);
        return isUnderWay && waited.compareTo(pace.heartbeat) >= 0
                ? ("event: late\ndata: {\"waitedMs\":" + waited.toMillis() + "}\n\n").getBytes(StandardCharsets.UTF_8)
                : HEARTBEAT;
    }

    /** Returns what there is to be told, or {@code null} if that cannot be found out. */
    private byte[] frame() {
        try {
            byte[] frame = ("event: update\ndata: " + Json.text(look.get()) + "\n\n").getBytes(StandardCharsets.UTF_8);
            outage.over();
            return frame;
        } catch (RuntimeException | Error e) {
            if (!isClosed) {
                outage.failed(e);
            }
            return null;
        }
    }

    /** Ends all streams, and starts no more. */
    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            streams.forEach(Stream::stop);
        }
        looker.shutdown();
        writers.shutdown();
    }

    /** One viewer, and the thread that writes to them. */
    private final class Stream implements Runnable {

        private final OutputStream out;
        private final Runnable end;
        private final long begun = System.nanoTime();
        private byte[] next;
        private boolean isOver;

        private Stream(OutputStream out, Runnable end) {
            this.out = out;
            this.end = end;
        }

        private synchronized void offer(byte[] frame) {
            next = frame;
            notifyAll();
        }

        private synchronized void stop() {
            isOver = true;
            notifyAll();
        }

        @Override
        public void run() {
            try {
                for (byte[] frame = take(); frame != null; frame = take()) {
                    out.write(frame);
                    out.flush();
                }
            } catch (IOException | RuntimeException e) {
                LOG.log(Level.DEBUG, "A viewer of the dashboard is gone", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                synchronized (LiveFeed.this) {
                    streams.remove(this);
                }
                end();
            }
        }

        /** Returns what is to be written next, or {@code null} if that is nothing more. */
        private synchronized byte[] take() throws InterruptedException {
            if (next == null && !isOver) {
                wait(pace.heartbeat.toMillis());
            }
            if (isOver || System.nanoTime() - begun > pace.longest.toNanos()) {
                return null;
            }
            byte[] frame = next == null ? sign() : next;
            next = null;
            return frame;
        }

        private void end() {
            try {
                end.run();
            } catch (RuntimeException e) {
                LOG.log(Level.DEBUG, "The server has ended a stream", e);
            }
        }
    }
}
