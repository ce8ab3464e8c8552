package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.RouteUnavailableException;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ReasonsTest {

    /** An exception that cannot even be asked. */
    private static final class Unspeakable extends RouteUnavailableException {

        private static final long serialVersionUID = 1L;

        private Unspeakable() {
            super("unspeakable");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }
    }

    @Test
    void nameWhatWasThrownAndWhatStandsBehindIt() {
        assertThat(Reasons.of(new RouteUnavailableException("down")))
                .isEqualTo("io.outbox.RouteUnavailableException: down");
        assertThat(Reasons.of(new RouteUnavailableException("down", new IOException("refused"))))
                .isEqualTo("io.outbox.RouteUnavailableException: down, caused by java.io.IOException: refused");
    }

    @Test
    void areOneLineOfBoundedLength() {
        assertThat(Reasons.of(new RouteUnavailableException("a\n\tb"))).endsWith(": a b");
        assertThat(Reasons.of(new RouteUnavailableException("x".repeat(5000)))).hasSize(500);
    }

    @Test
    void areTheClassOfAnExceptionThatCannotBeAsked() {
        assertThat(Reasons.of(new Unspeakable())).isEqualTo(Unspeakable.class.getName());
    }
}
