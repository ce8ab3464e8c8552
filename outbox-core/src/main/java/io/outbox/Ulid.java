package io.outbox;

import java.time.Clock;

/** Source of ULIDs: 26 characters that sort by time of creation. */
final class Ulid extends TimeOrderedIds {

    private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final int RANDOM_HIGH_BITS = 16;
    private static final Ulid SHARED = new Ulid(Clock.systemUTC());

    Ulid(Clock clock) {
        super(clock, RANDOM_HIGH_BITS, Long.SIZE);
    }

    static String next() {
        return SHARED.nextId();
    }

    @Override
    String encode(long millis, long high, long low) {
        char[] text = new char[26];
        for (int i = 0; i < 10; i++) {
            text[i] = ALPHABET[(int) (millis >>> (45 - 5 * i)) & 31];
        }
        for (int i = 0; i < 16; i++) {
            text[10 + i] = ALPHABET[randomBits(high, low, 75 - 5 * i)];
        }
        return new String(text);
    }

    /** Returns five of the 80 random bits, starting at the given bit. */
    private static int randomBits(long high, long low, int shift) {
        if (shift >= Long.SIZE) {
            return (int) (high >>> (shift - Long.SIZE)) & 31;
        }
        long bits = low >>> shift;
        if (shift > Long.SIZE - 5) {
            bits |= high << (Long.SIZE - shift);
        }
        return (int) bits & 31;
    }
}
