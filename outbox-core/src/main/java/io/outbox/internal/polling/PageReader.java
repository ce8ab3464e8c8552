package io.outbox.internal.polling;

import io.outbox.spi.ClaimRequest;
import io.outbox.spi.ClaimRequest.LostClaims;
import io.outbox.spi.ClaimedPage;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import io.outbox.spi.FetchRequest;
import io.outbox.spi.Lease;
import io.outbox.spi.OutboxBackendException;
import io.outbox.spi.Page;
import io.outbox.spi.PageCursor;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Reads pages of due events: without locks on a single node, by claims among several. */
interface PageReader {

    /** Returns the time by which a walk that begins now tells what is due. */
    Instant time();

    /** Returns how long ago an event must have been created to be read. */
    Duration skipRecent();

    /** @param lost the feed's claims without an answer, to which this one is added if it gets none */
    ReadPage read(EventTypes types, PageRequest request, boolean takeOver, LostAnswers lost);

    /**
     * The part of a walk that is read next.
     *
     * @param asOf the time by which events are due
     * @param after where the last page ended, or {@code null} at the front
     * @param limit how many events to read at most
     * @param maxBytes about how many bytes to read at most
     */
    record PageRequest(Instant asOf, PageCursor after, int limit, long maxBytes) {

        /** Returns the request for events that have been due for that long. */
        PageRequest dueFor(Duration wait) {
            return wait.isZero() ? this : new PageRequest(asOf.minus(wait), after, limit, maxBytes);
        }
    }

    /** What was read, and where the next page begins, or {@code null} if this was the last. */
    record ReadPage(List<DueEvent> events, int takenOver, PollTarget.Claim claim, PageCursor next) {

        /** Returns when the first event is due, or {@code null} if there is none. */
        Instant firstDue() {
            return events.stream()
                    .map(event -> event.event().availableAt())
                    .min(Comparator.naturalOrder())
                    .orElse(null);
        }

        long bytes() {
            return events.stream().mapToLong(DueEvent::bytes).sum();
        }
    }

    /** Reads without locks, by the clock of this node. */
    record Fetching(DeliveryBackend backend, Duration skipRecent, Clock clock) implements PageReader {

        @Override
        public Instant time() {
            return clock.instant();
        }

        @Override
        public ReadPage read(EventTypes types, PageRequest request, boolean takeOver, LostAnswers lost) {
            PollTarget.Claim claim = new PollTarget.Claim(null, System.nanoTime());
            Page<DueEvent> page = backend.fetch(
                    new FetchRequest(request.asOf, skipRecent, types, request.limit, request.after, request.maxBytes));
            return new ReadPage(page.items(), 0, claim, page.next());
        }
    }

    /** Claims, by the clock of the store. */
    record Claiming(DeliveryBackend backend, Duration skipRecent, PollTarget target) implements PageReader {

        @Override
        public Instant time() {
            return backend.currentTime();
        }

        @Override
        public ReadPage read(EventTypes types, PageRequest request, boolean takeOver, LostAnswers lost) {
            Lease lease = target.lease();
            PollTarget.Claim claim = new PollTarget.Claim(lease.holder(), target.lockTime());
            ClaimRequest.Scope scope = new ClaimRequest.Scope(types, skipRecent, takeOver, leftBehind(lost));
            ClaimedPage page;
            try {
                page = backend.claim(
                        new ClaimRequest(lease, request.asOf, scope, request.limit, request.after, request.maxBytes));
            } catch (RuntimeException | Error e) {
                if (!(e instanceof OutboxBackendException failure && failure.isWithoutEffect())) {
                    lost.add(lease.holder(), types);
                }
                throw e;
            }
            return new ReadPage(page.events(), page.takenOver(), claim, page.next());
        }

        private LostClaims leftBehind(LostAnswers lost) {
            return lost.isEmpty()
                    ? LostClaims.NONE
                    : target.heldBy(lost.holders())
                            .map(known -> new LostClaims(lost.holders(), known))
                            .orElse(LostClaims.NONE);
        }
    }
}
