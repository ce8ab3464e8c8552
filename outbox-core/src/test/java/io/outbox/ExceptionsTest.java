package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.outbox.dispatch.UnroutableEventException;
import io.outbox.spi.OutboxBackendException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ExceptionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);

    static Stream<Class<? extends RuntimeException>> types() {
        return Stream.of(
                EventException.class,
                RecoverableException.class,
                UnrecoverableException.class,
                PayloadParseException.class,
                UnroutableEventException.class,
                OutboxBackendException.class);
    }

    @ParameterizedTest
    @MethodSource("types")
    void takesAMessageAndOptionallyACause(Class<? extends RuntimeException> type) throws Exception {
        Exception cause = new Exception("cause");

        RuntimeException plain = type.getConstructor(String.class).newInstance("what");
        RuntimeException caused =
                type.getConstructor(String.class, Throwable.class).newInstance("what", cause);

        assertThat(plain).hasMessage("what").hasNoCause();
        assertThat(caused).hasMessage("what").hasCause(cause);
    }

    @Test
    void tellsByTypeWhetherARetryCanHelp() {
        assertThat(EventException.class).isAssignableTo(RuntimeException.class);
        assertThat(RecoverableException.class).isAssignableTo(EventException.class);
        assertThat(UnrecoverableException.class).isAssignableTo(EventException.class);
        assertThat(RetryAfterException.class).isAssignableTo(RecoverableException.class);
        assertThat(PayloadParseException.class).isAssignableTo(UnrecoverableException.class);
        assertThat(UnroutableEventException.class).isAssignableTo(UnrecoverableException.class);
    }

    @Test
    void carriesTheDelayThroughEveryConstructor() {
        Exception cause = new Exception("cause");

        assertThat(new RetryAfterException(SECOND).retryAfter()).isEqualTo(SECOND);
        assertThat(new RetryAfterException(SECOND)).hasMessageContaining("PT1S");
        assertThat(new RetryAfterException(SECOND, "busy")).hasMessage("busy").hasNoCause();
        assertThat(new RetryAfterException(SECOND, cause)).hasCause(cause);
        assertThat(new RetryAfterException(SECOND, "busy", cause))
                .hasMessage("busy")
                .hasCause(cause);
        assertThat(new RetryAfterException(SECOND, "busy", cause).retryAfter()).isEqualTo(SECOND);
    }

    @Test
    void refusesABadDelay() {
        assertThatNullPointerException()
                .isThrownBy(() -> new RetryAfterException(null))
                .withMessageContaining("retryAfter");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RetryAfterException(Duration.ofSeconds(-1), "busy"))
                .withMessageContaining("retryAfter")
                .withMessageContaining("PT-1S");
    }

    @Test
    void aDuplicateEventIsNamedAndRefusedForGood() {
        DuplicateEventException one = new DuplicateEventException(List.of("1"), null);
        DuplicateEventException oneOfSeveral = new DuplicateEventException(List.of("1", "2"), null);

        assertThat(one).hasMessageContaining("id 1").isInstanceOf(OutboxBackendException.class);
        assertThat(one.eventIds()).containsExactly("1");
        assertThat(one.isRefusal()).isTrue();
        assertThat(oneOfSeveral).hasMessageContaining("2 events");
        assertThat(oneOfSeveral.eventIds()).containsExactly("1", "2");
    }
}
