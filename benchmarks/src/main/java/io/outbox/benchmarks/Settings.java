package io.outbox.benchmarks;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What can be set by system properties, so that a run is as long and as large as somebody wants it. */
final class Settings {

    /** Repetitions of each measurement, taken in turns. */
    static final int ROUNDS = Integer.getInteger("bench.rounds", 4);

    /** The ways to drain a backlog that are measured, by their keys; all if none is named. */
    static final Set<String> WAYS = names("bench.ways");

    /** The numbers of writers of live traffic. */
    static final List<Integer> WRITERS = Arrays.stream(
                    System.getProperty("bench.writers", "1,2,4,8").split(","))
            .map(Integer::valueOf)
            .toList();

    /**
     * What is added to the address of the database, such as {@code &options=-c%20synchronous_commit=off} for a probe.
     */
    static final String CONNECTION = System.getProperty("bench.connection", "");

    /** Size of the backlog in a warm JVM. */
    static final int EVENTS = Integer.getInteger("bench.events", 200_000);

    /** Size of the backlog in a JVM that has just been started. */
    static final int COLD_EVENTS = Integer.getInteger("bench.cold.events", 50_000);

    /** The most finished rows in the table behind which a backlog is drained. */
    static final int FINISHED = Integer.getInteger("bench.finished", 1_000_000);

    /** Length of one round of live traffic. */
    static final int SECONDS = Integer.getInteger("bench.seconds", 5);

    /** How long an outbox is watched while nothing happens. */
    static final int IDLE_SECONDS = Integer.getInteger("bench.idle.seconds", 20);

    static final int KAFKA_EVENTS = Integer.getInteger("bench.kafka.events", 100_000);
    static final int RABBIT_EVENTS = Integer.getInteger("bench.rabbit.events", 20_000);
    static final int DISTANT_EVENTS = Integer.getInteger("bench.distant.events", 20_000);

    /** Messages consumed one by one; ten times as many are consumed in batches. */
    static final int INBOX_EVENTS = Integer.getInteger("bench.inbox.events", 10_000);

    /** Dead letters beside which a backlog is delivered. */
    static final int LETTERS = Integer.getInteger("bench.letters", 1_000_000);

    static final int REDIS_EVENTS = Integer.getInteger("bench.redis.events", 100_000);

    /** Events of a lane that is paused, in front of those of other types. */
    static final int PAUSED_EVENTS = Integer.getInteger("bench.paused", 500_000);

    /** Events of other types behind the paused lane; what is not delivered in time is left. */
    static final int OTHER_EVENTS = Integer.getInteger("bench.other", 20_000);

    static final int BACKLOG_SECONDS = Integer.getInteger("bench.backlog.seconds", 20);

    /** Size of the large backlog. */
    static final int LARGE_EVENTS = Integer.getInteger("bench.large", 2_000_000);

    /** Events per second while a snapshot is open. */
    static final int SNAPSHOT_RATE = Integer.getInteger("bench.snapshot.rate", 1_000);

    /** How long a snapshot is open. */
    static final int SNAPSHOT_MINUTES = Integer.getInteger("bench.snapshot.minutes", 3);

    /** How long is measured without a snapshot, where the minutes are alike. */
    static final int MINUTES_WITHOUT_SNAPSHOT = Math.min(SNAPSHOT_MINUTES, 5);

    /** Length of such a minute; shorter ones serve to try the part out. */
    static final int SNAPSHOT_MINUTE_SECONDS = Integer.getInteger("bench.snapshot.minute", 60);

    /** Events of one transaction. */
    static final int WRITE_ALL_EVENTS = Integer.getInteger("bench.writeall", 10_000);

    /** Events with a key, or without one beside them. */
    static final int KEYED_EVENTS = Integer.getInteger("bench.keyed.events", 100_000);

    /** Repetitions of what is measured about keys. */
    static final int KEYED_ROUNDS = Integer.getInteger("bench.keyed.rounds", 3);

    /** Length of one round of live traffic with keys. */
    static final int KEYED_SECONDS = Integer.getInteger("bench.keyed.seconds", 3);

    /** What is measured about keys, by name; everything if nothing is named. */
    static final Set<String> KEYED_PARTS = names("bench.keyed.parts");

    /** Where plots are drawn. */
    static final Path PLOTS = Path.of(System.getProperty("bench.plots", "benchmarks/target/plots"));

    private Settings() {}

    private static Set<String> names(String property) {
        return Arrays.stream(System.getProperty(property, "").split(","))
                .filter(name -> !name.isBlank())
                .collect(Collectors.toUnmodifiableSet());
    }
}
