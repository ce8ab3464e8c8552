package io.outbox.internal.subscription;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The ids of one subscription's rows, each made out of the id of its event.
 *
 * <p>A number that depends on the name is added to the random bits of a ULID or a UUID, without a carry into the time.
 * So different events get different rows, the ids are of the kind that events have, new rows stand next to each other
 * in an index, and ids that were counted up within a millisecond keep their order. That rows of two subscriptions meet
 * is as likely as two random ids being equal. Any other id becomes a hash, in the form of a UUID of version 8.
 */
final class RowIds {

    private static final String DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final Pattern ULID = Pattern.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}");
    private static final int ULID_TIME_DIGITS = 10;
    private static final int BITS_PER_DIGIT = 5;

    private static final Pattern CANONICAL_UUID =
            Pattern.compile("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}");
    private static final int UUID_LOW_BITS = 62;
    private static final long UUID_HIGH = 0xFFFL;
    private static final long UUID_LOW = (1L << UUID_LOW_BITS) - 1;
    private static final long VERSION_8 = 0x8000L;
    private static final long VERSION_BITS = 0xF000L;
    private static final long VARIANT = 1L << 63;

    private final String name;
    private final byte[] ulidOffset;
    private final long uuidHighOffset;
    private final long uuidLowOffset;

    RowIds(String name) {
        this.name = name;
        ByteBuffer hash = hash(name);
        this.uuidHighOffset = hash.getLong() & UUID_HIGH;
        this.uuidLowOffset = hash.getLong() & UUID_LOW;
        this.ulidOffset = Arrays.copyOfRange(hash.array(), hash.position(), hash.capacity());
    }

    String of(String eventId) {
        if (ULID.matcher(eventId).matches()) {
            return ofUlid(eventId);
        }
        return CANONICAL_UUID.matcher(eventId).matches() ? ofUuid(UUID.fromString(eventId)) : ofText(eventId);
    }

    private String ofUlid(String eventId) {
        char[] id = eventId.toCharArray();
        int carry = 0;
        for (int i = id.length - 1; i >= ULID_TIME_DIGITS; i--) {
            int offset = ulidOffset[i - ULID_TIME_DIGITS] & (DIGITS.length() - 1);
            int sum = DIGITS.indexOf(id[i]) + offset + carry;
            id[i] = DIGITS.charAt(sum & (DIGITS.length() - 1));
            carry = sum >>> BITS_PER_DIGIT;
        }
        return new String(id);
    }

    private String ofUuid(UUID eventId) {
        long most = eventId.getMostSignificantBits();
        long least = eventId.getLeastSignificantBits();
        long low = (least & UUID_LOW) + uuidLowOffset;
        long high = (most & UUID_HIGH) + uuidHighOffset + (low >>> UUID_LOW_BITS);
        return new UUID(most & ~UUID_HIGH | high & UUID_HIGH, least & ~UUID_LOW | low & UUID_LOW).toString();
    }

    private String ofText(String eventId) {
        ByteBuffer hash = hash(name + '#' + eventId);
        long most = hash.getLong() & ~VERSION_BITS | VERSION_8;
        long least = hash.getLong() & UUID_LOW | VARIANT;
        return new UUID(most, least).toString();
    }

    private static ByteBuffer hash(String text) {
        try {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            return ByteBuffer.wrap(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
