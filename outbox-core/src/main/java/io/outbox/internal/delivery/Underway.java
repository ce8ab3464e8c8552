package io.outbox.internal.delivery;

import io.outbox.internal.ownership.HeldEvent;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;

/**
 * The batches of a worker that are with their target: begun one after another, and ended in the same order.
 *
 * <p>While the target has not answered for one batch, the worker begins the next, so that a distant target is not
 * waited for batch by batch. What is under way is bounded in batches, events and bytes: it is what arrives again if the
 * process dies, and what waits for a target that has stopped answering. Answers come on threads of the target's client,
 * which must not be held up; they only wake the worker, and everything else is done by that. Its events keep their
 * locks like all that a node holds.
 *
 * <p>For one thread, but for the news that there is an answer.
 */
final class Underway {

    static final int MOST_BATCHES = 64;
    static final int MOST_EVENTS = 1_000;
    static final long MOST_BYTES = 8L * 1024 * 1024;

    private final Deque<Flight> flights = new ArrayDeque<>();
    private final Runnable wake;
    private final BooleanSupplier forced;
    private final IntConsumer whenEnded;
    private int events;
    private long bytes;

    /**
     * @param wake wakes the worker, from any thread
     * @param forced whether listeners are told to stop
     * @param whenEnded takes the number of events that have ended
     */
    Underway(Runnable wake, BooleanSupplier forced, IntConsumer whenEnded) {
        this.wake = wake;
        this.forced = forced;
        this.whenEnded = whenEnded;
    }

    /** A batch that is with its target. */
    private static final class Flight {

        private final BatchDelivery.Run run;
        private final long bytes;
        private volatile boolean answered;

        private Flight(BatchDelivery.Run run) {
            this.run = run;
            this.bytes = run.events().stream().mapToLong(HeldEvent::bytes).sum();
        }

        private int size() {
            return run.events().size();
        }
    }

    boolean isEmpty() {
        return flights.isEmpty();
    }

    /** Returns whether another batch may begin. */
    boolean hasRoom() {
        return flights.size() < MOST_BATCHES && events < MOST_EVENTS && bytes < MOST_BYTES;
    }

    /** Returns whether these events may begin while others are under way: they are of the same type. */
    boolean isJoinedBy(List<HeldEvent> batch) {
        return flights.isEmpty()
                || flights.getLast()
                        .run
                        .events()
                        .get(0)
                        .eventType()
                        .equals(batch.get(0).eventType());
    }

    void add(BatchDelivery.Run run) {
        Flight flight = new Flight(run);
        flights.add(flight);
        events += flight.size();
        bytes += flight.bytes;
        run.whenAnswered(() -> {
            flight.answered = true;
            wake.run();
        });
    }

    boolean isFirstAnswered() {
        Flight first = flights.peek();
        return first != null && first.answered;
    }

    /** Ends the batches for which there are answers, up to the first for which there are none. */
    void endAnswered() {
        while (isFirstAnswered()) {
            endFirst();
        }
    }

    void endAll() {
        while (!flights.isEmpty()) {
            endFirst();
        }
    }

    /** Waits for the answers for the first batch, and ends it. */
    void endFirst() {
        Flight first = flights.remove();
        events -= first.size();
        bytes -= first.bytes;
        try {
            if (forced.getAsBoolean()) {
                Thread.currentThread().interrupt(); // each batch is told to stop, and forgets it
            }
            first.run.end(forced);
        } finally {
            whenEnded.accept(first.size());
        }
    }
}
