package io.outbox.model;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Something that all nodes on a store know, as of a revision.
 *
 * @param id identifies it
 * @param kind what is looked for together
 * @param revision counts its changes; 0 if it has not been saved yet
 * @param content what it says
 * @param untouchedFor how long ago it was changed, by the store's clock; {@code null} if it has not been saved yet
 */
public record ClusterRecord(
        String id,
        String kind,
        long revision,
        String content,
        @Nullable Duration untouchedFor) {

    /** A record that is not in the store yet. */
    public ClusterRecord(String id, String kind, String content) {
        this(id, kind, 0, content, null);
    }

    /** Returns the record as it is to become. */
    public ClusterRecord with(String newKind, String newContent) {
        return new ClusterRecord(id, newKind, revision, newContent, untouchedFor);
    }
}
