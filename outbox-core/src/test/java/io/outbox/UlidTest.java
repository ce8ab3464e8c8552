package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class UlidTest extends TimeOrderedIdsContract {

    private static final String ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

    UlidTest() {
        super(Ulid::new, Ulid::next);
    }

    @Override
    long millisOf(String ulid) {
        long millis = 0;
        for (char c : ulid.substring(0, 10).toCharArray()) {
            millis = millis << 5 | ALPHABET.indexOf(c);
        }
        return millis;
    }

    @Test
    void has26CharactersOfCrockfordsAlphabet() {
        for (int i = 0; i < 1000; i++) {
            assertThat(Ulid.next()).matches("[0-7][0-9A-HJKMNP-TV-Z]{25}");
        }
    }

    @Test
    void carriesIntoTheTimeWhenTheRandomPartOverflows() throws Exception {
        String before = ids.nextId();
        setRandomPart(0xFFFFL, -2L);

        String last = ids.nextId();
        String carried = ids.nextId();
        String next = ids.nextId();

        assertThat(last).isEqualTo(before.substring(0, 10) + "Z".repeat(16));
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli() + 1);
        assertThat(carried).endsWith("0".repeat(16));
        assertThat(List.of(before, last, carried, next)).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void carriesFromTheLowIntoTheHighRandomBits() throws Exception {
        ids.nextId();
        setRandomPart(0x00FFL, -2L);

        String last = ids.nextId();
        String carried = ids.nextId();

        assertThat(carried).isGreaterThan(last);
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli());
        assertThat(carried).endsWith("0".repeat(12));
    }
}
