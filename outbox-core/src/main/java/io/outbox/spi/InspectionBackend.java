package io.outbox.spi;

import io.outbox.model.AuditEntry;
import io.outbox.model.EventStatus;
import io.outbox.model.InspectedEvent;
import io.outbox.model.NodeLocks;
import io.outbox.model.OpenEvents;
import io.outbox.model.StoreFigure;
import io.outbox.model.Tally;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The part of a storage engine that operators look into. Thread-safe. Each call does a bounded amount of work, however
 * many events there are, and needs nothing that delivery would have to pay for.
 */
public interface InspectionBackend {

    /** The number at which counts stop. */
    int MOST_COUNTED = 20_000;

    /**
     * Some of the events that match.
     *
     * @param events those found, without payload and headers, the greatest id first
     * @param next the id behind which to go on, or {@code null} at the end. A page may be short, even empty, and have a
     * next one: then
     *     the search stopped because it has looked at enough events
     */
    record Found(List<InspectedEvent> events, @Nullable String next) {}

    /**
     * Returns up to {@code limit} events that match, from behind this id, or from the start. Where the filter has a
     * fingerprint or a text of payloads, few events are looked at.
     */
    Found search(EventFilter filter, @Nullable String after, int limit);

    /**
     * Counts the events that match, among as many as one call looks at: exactly if those are all, and at least so many
     * otherwise.
     */
    Tally count(EventFilter filter);

    /** Returns an event with payload and headers. */
    Optional<InspectedEvent> find(String eventId);

    /**
     * Counts events by state. Each count stops at {@link #MOST_COUNTED}; those of NEW and RETRY may stop when there are
     * so many of both together.
     */
    Map<EventStatus, Integer> countByState();

    /**
     * Open events by type.
     *
     * @param exact whether all were counted; if not, those that are due first and last were, and the first is among
     * them
     */
    record Open(List<OpenEvents> types, boolean exact) {}

    /** Counts open events by type, in the order of their names. */
    Open open(Instant now);

    /** Returns the nodes that hold events, with the number of events among those that {@link #open} examines. */
    List<NodeLocks> nodes();

    /**
     * Returns what the store reports about itself, for health checks and meters. What it does not tell, or not to this
     * user, is missing. Default: nothing.
     */
    default List<StoreFigure> figures() {
        return List.of();
    }

    /** Returns which figures this kind of store may tell, without asking it. */
    default Set<StoreFigure.Kind> figureKinds() {
        return Set.of();
    }

    /**
     * Unlocks open events, regardless of which node holds them; returns how many. Their node may deliver them all the
     * same.
     */
    int release(Collection<String> eventIds);

    /** Creates what the entries below are kept in, where it is missing and may be created. */
    void prepareAudit();

    /** Keeps an entry. */
    void audit(AuditEntry entry);

    /** Returns the latest entries before the one of that id, or the latest of all. */
    List<AuditEntry> audits(@Nullable String before, int limit);

    /** Returns by what nodes know of each other; empty if each is on its own. */
    default Optional<ClusterBackend> cluster() {
        return Optional.empty();
    }
}
