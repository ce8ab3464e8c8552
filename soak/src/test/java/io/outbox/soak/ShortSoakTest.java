package io.outbox.soak;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.fault.PlannedFault;
import io.outbox.soak.judge.Verdict;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/**
 * Some forty seconds with the faults that matter most, without MariaDB, which gets the statements of MySQL;
 * {@code ./outbox soak} has all of them, for minutes.
 */
class ShortSoakTest {

    private static final long SEED = 1;
    private static final Duration QUIET = Duration.ofMillis(1_500);
    private static final Duration BEYOND_THE_LEASE =
            SoakRun.LEASE.multipliedBy(5).dividedBy(4);

    @ParameterizedTest(name = "{0}")
    @EnumSource(value = Database.class, mode = Mode.EXCLUDE, names = "MARIADB")
    @Timeout(240)
    void noEventIsLostStuckOrDeliveredTwiceWithoutAFaultOfItsNode(Database database) throws Exception {
        Path directory = Path.of("target", "soak", "short-" + database.name().toLowerCase(Locale.ROOT));
        ByteArrayOutputStream text = new ByteArrayOutputStream();

        Verdict verdict = new SoakRun(database, SEED, directory, new PrintStream(text, true, StandardCharsets.UTF_8))
                .run(faults(database));

        String report = text.toString(StandardCharsets.UTF_8);
        assertThat(verdict.findings()).as(report).isEmpty();
        assertThat(verdict.figures().stored()).as(report).isGreaterThan(500);
    }

    /**
     * The first ones excuse no waiting, so that an event that has to wait for a lease to end is found; where nothing
     * else happens, there is something going on that a node has to stand at any time.
     */
    private static List<PlannedFault> faults(Database database) {
        return List.of(
                brief(FaultKind.LOST_ANSWERS, 1),
                lasting(database == Database.REDIS ? FaultKind.LARGE_PAYLOADS : FaultKind.SERVER_ROWS_LOCKED, 0),
                lasting(FaultKind.LATE_ANSWERS, 0),
                brief(FaultKind.LARGE_PAYLOADS, 2),
                lasting(FaultKind.STOPPED, 1),
                brief(FaultKind.SERVER_LOST_ANSWERS, 0),
                lasting(FaultKind.SERVER_FROZEN, 0),
                over(FaultKind.KILLED, 2),
                brief(database == Database.REDIS ? FaultKind.LOST_ANSWERS : FaultKind.CAUGHT_ERRORS, 1),
                lasting(worstOfServer(database), 0),
                over(FaultKind.CLOSED, 0));
    }

    /** That a commit survives the server is a matter of course in a database, and one of settings in Redis. */
    private static FaultKind worstOfServer(Database database) {
        return database == Database.REDIS ? FaultKind.SERVER_KILLED : FaultKind.SERVER_REFUSING;
    }

    private static PlannedFault lasting(FaultKind kind, int slot) {
        return new PlannedFault(kind, Duration.ZERO, slot, BEYOND_THE_LEASE);
    }

    /** In place of a quiet time. */
    private static PlannedFault brief(FaultKind kind, int slot) {
        return new PlannedFault(kind, Duration.ZERO, slot, QUIET);
    }

    private static PlannedFault over(FaultKind kind, int slot) {
        return new PlannedFault(kind, QUIET, slot, Duration.ZERO);
    }
}
