package io.outbox.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void hasANameOfItsOwnUnlessGivenOne() {
        assertThat(Lease.of(MINUTE).ownerId()).isNotEqualTo(Lease.of(MINUTE).ownerId());
        assertThat(Lease.of(MINUTE).ownerId()).hasSizeLessThanOrEqualTo(128).isNotBlank();
        assertThat(new Lease("node-1", MINUTE).duration()).isEqualTo(MINUTE);
    }

    @Test
    void refusesABadOwner() {
        assertThat(new Lease("x".repeat(128), MINUTE).ownerId()).hasSize(128);
        assertThatNullPointerException()
                .isThrownBy(() -> new Lease(null, MINUTE))
                .withMessageContaining("ownerId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Lease(" ", MINUTE))
                .withMessageContaining("ownerId");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Lease("x".repeat(129), MINUTE))
                .withMessageContaining("ownerId");
    }

    @Test
    void refusesABadDuration() {
        assertThatNullPointerException().isThrownBy(() -> new Lease("a", null)).withMessageContaining("lockTimeout");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Lease.of(Duration.ZERO))
                .withMessageContaining("lockTimeout")
                .withMessageContaining("PT0S");
        assertThatIllegalArgumentException().isThrownBy(() -> Lease.of(Duration.ofSeconds(-5)));
    }
}
