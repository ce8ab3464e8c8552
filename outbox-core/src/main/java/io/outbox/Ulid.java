package io.outbox;

import java.security.SecureRandom;
import java.time.Clock;

/**
 * Source of ULIDs: 26 characters that sort by time of creation.
 *
 * <p>Strictly increasing within a JVM, from any number of threads and even if the clock steps back: within a
 * millisecond, or behind the newest one seen, the 80 random bits are counted up instead of drawn anew.
 */
final class Ulid {

    private static final char[] ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray();
    private static final int RANDOM_HIGH_BITS = 16;
    private static final Ulid SHARED = new Ulid(Clock.systemUTC());

    private final SecureRandom random = new SecureRandom();
    private final Clock clock;
    private long millis = -1;
    private long high;
    private long low;

    Ulid(Clock clock) {
        this.clock = clock;
    }

    static String next() {
        return SHARED.nextId();
    }

    synchronized String nextId() {
        long now = clock.millis();
        if (now > millis) {
            millis = now;
            high = random.nextLong() >>> (Long.SIZE - RANDOM_HIGH_BITS);
            low = random.nextLong();
        } else {
            increment();
        }
        return encode();
    }

    private void increment() {
        if (++low == 0 && ++high >>> RANDOM_HIGH_BITS != 0) {
            high = 0;
            millis++;
        }
    }

    private String encode() {
        char[] text = new char[26];
        for (int i = 0; i < 10; i++) {
            text[i] = ALPHABET[(int) (millis >>> (45 - 5 * i)) & 31];
        }
        for (int i = 0; i < 16; i++) {
            text[10 + i] = ALPHABET[randomBits(75 - 5 * i)];
        }
        return new String(text);
    }

    /** Returns five of the 80 random bits, starting at the given bit. */
    private int randomBits(int shift) {
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
