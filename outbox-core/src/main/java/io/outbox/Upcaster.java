package io.outbox;

import io.outbox.spi.Limits;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * Turns payloads of an older version of an event type into a newer one, before the codec and the listener see them.
 *
 * <p>Each event is stored with the {@linkplain EventEnvelope#version() version} of its payload: 1, unless the type has
 * another one. The version of a type is where its upcasters lead, or what {@link Outbox.AbstractBuilder#eventVersion}
 * says. An event of an older version goes through as many upcasters as it takes; the stored event stays as it was
 * written. A node that does not know the version of an event, or has no upcaster for it, cannot read it: among several
 * nodes it leaves the event to the others for the grace, and then the event goes DEAD and can be replayed.
 *
 * <p>Called on a worker thread at every attempt, so it should only compute: whatever it throws counts as a payload that
 * cannot be read. Tombstones have no payload and are passed on as they are. Thread-safe.
 */
public interface Upcaster {

    /** Returns the event type as it is called today; events under a former name of it go through this upcaster, too. */
    String eventType();

    /** Returns the version that it reads; at least 1. */
    int fromVersion();

    /** Returns the version that it makes; later than the one that it reads. */
    default int toVersion() {
        return fromVersion() + 1;
    }

    /** Returns the text of a payload in the newer version. */
    String upcast(String payload) throws Exception;

    /** Returns a binary payload in the newer version. By default, binary payloads are refused. */
    default byte[] upcast(byte[] payload) throws Exception {
        throw new UnsupportedOperationException(
                "the payload is binary, and this upcaster is for text: it must implement" + " upcast(byte[]) as well");
    }

    /** Returns an upcaster of text payloads from one version to the next. */
    static Upcaster of(String eventType, int fromVersion, UnaryOperator<String> change) {
        return of(eventType, fromVersion, fromVersion + 1, change);
    }

    /** Returns an upcaster of text payloads. */
    static Upcaster of(String eventType, int fromVersion, int toVersion, UnaryOperator<String> change) {
        Check.notBlank(eventType, "eventType");
        Limits.atLeastOne(fromVersion, "fromVersion");
        Objects.requireNonNull(change, "change");
        if (toVersion <= fromVersion) {
            throw new IllegalArgumentException(
                    "toVersion must be later than fromVersion " + fromVersion + ": " + toVersion);
        }
        return new Upcaster() {
            @Override
            public String eventType() {
                return eventType;
            }

            @Override
            public int fromVersion() {
                return fromVersion;
            }

            @Override
            public int toVersion() {
                return toVersion;
            }

            @Override
            public String upcast(String payload) {
                return change.apply(payload);
            }

            @Override
            public String toString() {
                return "Upcaster[" + eventType + ", " + fromVersion + " to " + toVersion + "]";
            }
        };
    }
}
