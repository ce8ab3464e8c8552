package io.outbox;

import java.time.Clock;
import java.util.UUID;

/** Source of UUIDs of version 7 (RFC 9562), which sort by time of creation as text. */
final class UuidV7 extends TimeOrderedIds {

    private static final int RANDOM_HIGH_BITS = 12;
    private static final int RANDOM_LOW_BITS = 62;
    private static final long VERSION = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final UuidV7 SHARED = new UuidV7(Clock.systemUTC());

    UuidV7(Clock clock) {
        super(clock, RANDOM_HIGH_BITS, RANDOM_LOW_BITS);
    }

    static String next() {
        return SHARED.nextId();
    }

    @Override
    String encode(long millis, long high, long low) {
        return new UUID(millis << 16 | VERSION | high, VARIANT | low).toString();
    }
}
