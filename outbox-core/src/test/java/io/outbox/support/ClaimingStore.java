package io.outbox.support;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A store of a third party that locks what it claims, and knows nothing else about ownership. */
public final class ClaimingStore extends FiveMethodStore {

    private record Lock(String ownerId, Instant at) {}

    private final Map<String, Lock> locks = new HashMap<>();

    @Override
    public synchronized List<OutboxEvent> claimPending(
            Connection conn, String ownerId, Instant now, Instant lockExpiry, Duration skipRecent, int limit) {
        List<OutboxEvent> claimed = new ArrayList<>();
        for (OutboxEvent event : pollPending(conn, now, skipRecent, Integer.MAX_VALUE)) {
            Lock lock = locks.get(event.eventId());
            if (claimed.size() < limit && (lock == null || lock.at.isBefore(lockExpiry))) {
                locks.put(event.eventId(), new Lock(ownerId, now));
                claimed.add(event);
            }
        }
        return claimed;
    }

    @Override
    public synchronized int markDone(Connection conn, String eventId) {
        locks.remove(eventId);
        return super.markDone(conn, eventId);
    }

    @Override
    public synchronized int markRetry(Connection conn, String eventId, Instant nextAt, String error) {
        locks.remove(eventId);
        return super.markRetry(conn, eventId, nextAt, error);
    }

    /** Returns whether every event is done. */
    public synchronized boolean isDrained() {
        return count(EventStatus.DONE) == size();
    }
}
