package io.outbox.spi;

import io.outbox.model.ClusterFigures;
import io.outbox.model.ClusterNode;
import io.outbox.model.ClusterRecord;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The part of a storage engine by which nodes on one store know of each other: who is there, what operators have
 * ordered, and what each node did. The engine does not interpret what nodes say. All times are those of its clock.
 * Thread-safe.
 */
public interface ClusterBackend {

    /** Creates what all this is kept in, where it is missing and may be created, and checks it. */
    void prepare();

    /** Notes that a node is there, for the first time or again; returns the store's time. */
    Instant join(String nodeId, String nodeName, String report);

    /**
     * What a node wants to hear of.
     *
     * @param recordId a record, and
     * @param revision the revision that the node knows of it
     * @param kind the kind of records that somebody has to look after, and
     * @param untouchedSince since when nobody has
     */
    record Watch(String recordId, long revision, String kind, Instant untouchedSince) {}

    /**
     * Notes that a node is still there, in one statement, if there is nothing that it wants to hear of.
     *
     * @return whether that was noted; if not, the record has another revision, a record of the kind is untouched, or
     * the store does
     *     not know the node (any more)
     */
    boolean beat(String nodeId, String report, Watch watch);

    /** Forgets a node that stops. */
    void leave(String nodeId);

    /** Returns all nodes that are known, in the order of their names. */
    List<ClusterNode> nodes();

    /** Forgets nodes that have not been heard of since then. */
    int forgetNodes(Instant notSince);

    /** Returns a record. */
    Optional<ClusterRecord> record(String id);

    /** Returns all records of a kind. */
    List<ClusterRecord> records(String kind);

    /**
     * Saves a record if it is unchanged since this revision was read, or if there is none yet and the revision is 0.
     *
     * @return whether it was saved
     */
    boolean save(ClusterRecord record);

    /** Removes a record if it is unchanged since this revision was read; returns whether that was so. */
    boolean remove(ClusterRecord record);

    /** Adds figures of a node, or puts them in place of earlier ones of the same span and slot. */
    void addFigures(ClusterFigures figures);

    /** Puts figures in place of earlier ones of the same node, span and slot. */
    void replaceFigures(ClusterFigures figures);

    /** Returns the figures of all nodes from a slot on, in the order of their slots. */
    List<ClusterFigures> figures(int span, long fromSlot);

    /** Deletes the figures of all nodes before a slot. */
    int purgeFigures(int span, long beforeSlot);

    /** Returns how long ago something was; not less than nothing. */
    static Duration since(Instant then, Instant now) {
        return then.isAfter(now) ? Duration.ZERO : Duration.between(then, now);
    }
}
