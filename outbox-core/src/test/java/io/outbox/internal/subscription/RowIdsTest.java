package io.outbox.internal.subscription;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowIdsTest {

    private static final String ULID = "01HWT6ZK2M3N4P5Q6R7S8T9VAB";
    private static final String UUID_7 = "018f3478-1234-7abc-8def-0123456789ab";

    private final RowIds mail = new RowIds("mail");
    private final RowIds audit = new RowIds("audit");

    @ParameterizedTest
    @ValueSource(
            strings = {
                ULID,
                UUID_7,
                "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
                "ffffffff-ffff-ffff-ffff-ffffffffffff",
                "order-1",
                "ä"
            })
    void areAlwaysTheSameAndDifferByEventAndName(String eventId) {
        String id = mail.of(eventId);

        assertThat(id).isEqualTo(new RowIds("mail").of(eventId));
        assertThat(id).isNotEqualTo(eventId).isNotEqualTo(audit.of(eventId));
        assertThat(id).isNotEqualTo(mail.of("another")).hasSizeLessThanOrEqualTo(36);
    }

    /** Rows are stored under these ids, so that another derivation would let an event be written twice. */
    @Test
    void neverChange() {
        assertThat(mail.of(ULID)).isEqualTo("01HWT6ZK2M2TZ60CP2VJAN5BW4");
        assertThat(mail.of(UUID_7)).isEqualTo("018f3478-1234-7daf-a15f-9abb70adfe6d");
        assertThat(mail.of("order-1")).isEqualTo("66eaef08-c31d-8a39-bfbf-f4a3c718fb1a");
    }

    @Test
    void ofAUlidAreUlidsOfTheSameTime() {
        assertThat(mail.of(ULID)).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}").startsWith(ULID.substring(0, 10));
        assertThat(mail.of("0000000000ZZZZZZZZZZZZZZZZ")).startsWith("0000000000");
    }

    @Test
    void ofAUuidAreUuidsOfTheSameTimeAndVersion() {
        UUID row = UUID.fromString(mail.of(UUID_7));

        assertThat(row.version()).isEqualTo(7);
        assertThat(row.variant()).isEqualTo(2);
        assertThat(row.toString()).startsWith(UUID_7.substring(0, 13));
        assertThat(UUID.fromString(mail.of("ffffffff-ffff-4fff-bfff-ffffffffffff"))
                        .version())
                .isEqualTo(4);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "order-1",
                "01hwt6zk2m3n4p5q6r7s8t9vab",
                "81HWT6ZK2M3N4P5Q6R7S8T9VAB",
                "018F3478-1234-7ABC-8DEF-0123456789AB"
            })
    void ofAnyOtherTextAreHashes(String eventId) {
        UUID row = UUID.fromString(mail.of(eventId));

        assertThat(row.version()).isEqualTo(8);
        assertThat(row.variant()).isEqualTo(2);
    }

    @Test
    void keepTheOrderOfUlidsThatWereCountedUp() {
        List<String> counted = new ArrayList<>();
        for (char tens : "AZ".toCharArray()) {
            for (char ones : "0123456789ABCDEFGHJKMNPQRSTVWXYZ".toCharArray()) {
                counted.add(ULID.substring(0, 24) + tens + ones);
            }
        }

        assertThat(Stream.of(mail, audit))
                .allSatisfy(ids ->
                        assertThat(counted.stream().map(ids::of)).isSorted().doesNotHaveDuplicates());
    }

    @Test
    void keepTheOrderOfUuidsThatWereCountedUp() {
        UUID first = UUID.fromString(UUID_7);
        List<String> counted = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            counted.add(new UUID(first.getMostSignificantBits(), first.getLeastSignificantBits() + i * 0x1234567L)
                    .toString());
        }

        assertThat(Stream.of(mail, audit))
                .allSatisfy(ids ->
                        assertThat(counted.stream().map(ids::of)).isSorted().doesNotHaveDuplicates());
    }
}
