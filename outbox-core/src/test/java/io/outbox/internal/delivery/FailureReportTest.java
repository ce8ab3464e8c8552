package io.outbox.internal.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.dispatch.StackTraces;
import io.outbox.model.FailureText;
import io.outbox.spi.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FailureReportTest {

    private static final Instant NOW = Instant.parse("2024-05-01T12:00:00.123456Z");

    private static FailureReport report(StackTraces stackTraces) {
        return new FailureReport(stackTraces, "shop-1", EngineClock.of(Clock.fixed(NOW, ZoneOffset.UTC)));
    }

    private static FailureText described(Throwable error) {
        return FailureText.of(report(StackTraces.SHORT).describe(error));
    }

    private static Throwable wrapped() {
        return new IllegalStateException(
                "Delivery failed", new UncheckedIOException(new IOException("Connection reset by peer: payments:443")));
    }

    private static StackTraceElement frame(String className, int line) {
        return new StackTraceElement(className, "call", "A.java", line);
    }

    @ParameterizedTest
    @EnumSource(StackTraces.class)
    void theOutermostExceptionIsTheFirstLineAndItsRootCauseTheLastOfTheChain(StackTraces stackTraces) {
        String text = report(stackTraces).describe(wrapped());

        assertThat(text.lines().limit(3))
                .containsExactly(
                        "java.lang.IllegalStateException: Delivery failed",
                        "Caused by: java.io.UncheckedIOException: java.io.IOException: Connection reset by peer:"
                                + " payments:443",
                        "Caused by: java.io.IOException: Connection reset by peer: payments:443");
        assertThat(FailureText.of(text).root())
                .isEqualTo("java.io.IOException: Connection reset by peer: payments:443");
        assertThat(text.contains("\tat ")).isEqualTo(stackTraces != StackTraces.NONE);
    }

    @Test
    void aShortTraceHasThePlaceOfTheRootCauseAndTheFramesOfTheApplication() {
        IOException root = new IOException("reset");
        root.setStackTrace(new StackTraceElement[] {
            frame("java.net.Socket", 1),
            frame("java.net.Socket", 2),
            frame("com.example.Payments", 3),
            frame("org.springframework.aop.Proxy", 4),
            frame("com.example.Payments$$SpringCGLIB$$0", 5),
            frame("com.example.Listener", 6),
            frame("io.outbox.internal.delivery.EventProcessor", 7),
            frame("java.lang.Thread", 8)
        });

        assertThat(described(root).trace())
                .isEqualTo(String.join(
                        "\n",
                        "\tat java.net.Socket.call(A.java:1)",
                        "\t... 1 more",
                        "\tat com.example.Payments.call(A.java:3)",
                        "\t... 2 more",
                        "\tat com.example.Listener.call(A.java:6)",
                        "\t... 2 more"));
    }

    @Test
    void aFullTraceHasAllFrames() {
        IOException root = new IOException("reset");
        root.setStackTrace(new StackTraceElement[] {frame("java.net.Socket", 1), frame("java.lang.Thread", 2)});

        assertThat(FailureText.of(report(StackTraces.FULL).describe(root))
                        .trace()
                        .lines())
                .containsExactly("\tat java.net.Socket.call(A.java:1)", "\tat java.lang.Thread.call(A.java:2)");
    }

    @Test
    void aCauseOfAnotherThreadIsShownWithTheFramesOfBoth() {
        CompletableFuture<Void> answer = CompletableFuture.runAsync(() -> {
            throw new IllegalArgumentException("refused");
        });
        ExecutionException error = org.assertj.core.api.Assertions.catchThrowableOfType(
                ExecutionException.class, () -> answer.get(10, java.util.concurrent.TimeUnit.SECONDS));
        StackTraceElement here = frame("com.example.Listener", 6);
        StackTraceElement there = frame("com.example.Client", 7);
        error.setStackTrace(new StackTraceElement[] {here});
        error.getCause().setStackTrace(new StackTraceElement[] {there});

        assertThat(described(error).trace()).contains(there.toString(), here.toString());
    }

    @Test
    void suppressedExceptionsAreNamed() {
        IOException error = new IOException("reset");
        error.addSuppressed(new IllegalStateException("close failed\nas well"));

        assertThat(described(error).trace())
                .startsWith("\tSuppressed: java.lang.IllegalStateException: close failed as well\n");
    }

    @Test
    void longChainsKeepBothEnds() {
        Throwable chain = new IOException("root");
        for (int i = 0; i < 50; i++) {
            chain = new IllegalStateException("level " + i, chain);
        }

        FailureText text = described(chain);

        assertThat(text.exception()).endsWith("level 49");
        assertThat(text.root()).endsWith("IOException: root");
        assertThat(text.causes()).hasSize(5);
    }

    @Test
    void cyclesEnd() {
        IllegalStateException one = new IllegalStateException("one");
        IllegalStateException other = new IllegalStateException("other", one);
        one.initCause(other);

        assertThat(described(one).causes()).containsExactly(other.toString());
    }

    /** Every call makes another cause. */
    private static final class Endless extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @Test
    void chainsWithoutAnEndAreGivenUp() {
        assertThat(described(new Endless()).causes()).hasSize(5);
    }

    /** Nothing can be asked of it. */
    private static final class Unspeakable extends RuntimeException {
        private static final long serialVersionUID = 1;

        @Override
        public String toString() {
            throw new IllegalStateException("toString");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("getCause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("getStackTrace");
        }
    }

    @Test
    void anExceptionWhoseMethodsThrowIsKnownByItsClass() {
        assertThat(report(StackTraces.FULL).describe(new Unspeakable())).isEqualTo(Unspeakable.class.getName());
    }

    @ParameterizedTest
    @EnumSource(StackTraces.class)
    void hugeMessagesLeaveRoomForTheRootCauseAndTheAttempts(StackTraces stackTraces) {
        String huge = "ä😀".repeat(500_000);
        Throwable error = new IllegalStateException(huge, new IllegalStateException(huge, new IOException(huge)));

        String text = report(stackTraces).withAttempts(report(stackTraces).describe(error), 6, null);

        assertThat(text).hasSizeLessThanOrEqualTo(Outcome.MAX_ERROR_LENGTH);
        assertThat(Outcome.storable(text)).isEqualTo(text);
        assertThat(FailureText.of(text).root()).startsWith("java.io.IOException: ä");
        assertThat(FailureText.of(text).attemptsMade()).isEqualTo(7);
    }

    @Test
    void deepStacksAreShortened() {
        StackOverflowError error = new StackOverflowError();
        StackTraceElement[] frames = new StackTraceElement[1024];
        java.util.Arrays.fill(frames, frame("com.example.Recursion", 1));
        error.setStackTrace(frames);

        assertThat(described(error).trace().lines()).hasSize(16).last().isEqualTo("\t... 1009 more");
    }

    @Test
    void attemptsAreKeptFromOneToTheNext() {
        FailureReport report = report(StackTraces.SHORT);
        String last = null;
        List<String> errors = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Throwable error = new IllegalStateException("Delivery failed", new IOException("reset " + i));
            last = report.withAttempts(report.describe(error), i, last);
            errors.add("java.io.IOException: reset " + i);
        }

        FailureText text = FailureText.of(last);

        assertThat(text.attempts())
                .containsExactly(
                        new FailureText.Attempt(1, NOW, "shop-1", errors.get(0)),
                        new FailureText.Attempt(2, NOW, "shop-1", errors.get(1)),
                        new FailureText.Attempt(3, NOW, "shop-1", null));
        assertThat(text.root()).isEqualTo(errors.get(2));
    }

    @Test
    void theLastAttemptsStay() {
        FailureReport report =
                new FailureReport(StackTraces.FULL, "n".repeat(128), EngineClock.of(Clock.fixed(NOW, ZoneOffset.UTC)));
        String last = null;
        for (int i = 0; i < 50; i++) {
            last = report.withAttempts(report.describe(new IOException("x".repeat(5000))), i, last);
        }

        assertThat(last).hasSizeLessThanOrEqualTo(Outcome.MAX_ERROR_LENGTH);
        assertThat(FailureText.of(last).attempts())
                .extracting(FailureText.Attempt::number)
                .containsExactly(43, 44, 45, 46, 47, 48, 49, 50);
        assertThat(FailureText.of(last).attempts())
                .allSatisfy(each -> assertThat(each.at()).isEqualTo(NOW));
    }

    @Test
    void anErrorOfAnotherProgramIsNoAttempt() {
        FailureReport report = report(StackTraces.NONE);

        String text = report.withAttempts("java.io.IOException: reset", 4, "set by hand");

        assertThat(FailureText.of(text).attempts()).containsExactly(new FailureText.Attempt(5, NOW, "shop-1", null));
        assertThat(Duration.between(NOW, FailureText.of(text).attempts().get(0).at()))
                .isZero();
    }
}
