package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.Test;

class UuidV7Test extends TimeOrderedIdsContract {

    private static final long LOW_BEFORE_LAST = (1L << 62) - 2;

    UuidV7Test() {
        super(UuidV7::new, UuidV7::next);
    }

    @Override
    long millisOf(String uuid) {
        return UUID.fromString(uuid).getMostSignificantBits() >>> 16;
    }

    @Test
    void isAUuidOfVersion7() {
        for (int i = 0; i < 1000; i++) {
            UUID uuid = UUID.fromString(UuidV7.next());

            assertThat(uuid.version()).isEqualTo(7);
            assertThat(uuid.variant()).isEqualTo(2);
        }
    }

    @Test
    void carriesFromTheLowIntoTheHighRandomBits() throws Exception {
        ids.nextId();
        setRandomPart(0x0FEL, LOW_BEFORE_LAST);

        String last = ids.nextId();
        String carried = ids.nextId();

        assertThat(last).endsWith("-70fe-bfff-ffffffffffff");
        assertThat(carried).endsWith("-70ff-8000-000000000000");
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli());
    }

    @Test
    void carriesIntoTheTimeWhenTheRandomPartOverflows() throws Exception {
        ids.nextId();
        setRandomPart(0xFFFL, LOW_BEFORE_LAST);

        String last = ids.nextId();
        String carried = ids.nextId();

        assertThat(last).endsWith("-7fff-bfff-ffffffffffff");
        assertThat(carried).endsWith("-7000-8000-000000000000").isGreaterThan(last);
        assertThat(millisOf(carried)).isEqualTo(START.toEpochMilli() + 1);
    }
}
