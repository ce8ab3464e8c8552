package io.outbox.soak;

import io.outbox.soak.fault.PlannedFault;
import io.outbox.soak.fault.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Kills, freezes and cuts off nodes and servers under load, on one database after the other, and ends with exit code 1 if
 * a promise was broken.
 *
 * <p>System properties: {@code soak.database} (of {@code postgresql,mysql,mariadb,redis}, default all), {@code soak.minutes}
 * (on each database, default 5), {@code soak.seed} (default: another one each time), {@code soak.directory} (for ledgers
 * and reports, default {@code soak/target/soak}).
 */
public final class Soak {

    private Soak() {}

    public static void main(String[] args) throws Exception {
        List<Database> databases = databases();
        Duration length =
                Duration.ofMillis((long) (Double.parseDouble(System.getProperty("soak.minutes", "5")) * 60_000));
        long seed = Long.getLong("soak.seed", new Random().nextInt(Integer.MAX_VALUE));
        Path directory = Path.of(System.getProperty("soak.directory", "soak/target/soak"));
        boolean kept = true;
        for (Database database : databases) {
            List<PlannedFault> faults = new Schedule(seed, SoakRun.NODES, SoakRun.LEASE).plan(length);
            Path home = directory.resolve(database.name().toLowerCase(Locale.ROOT) + "-" + seed);
            SoakRun run = new SoakRun(database, seed, home, System.out);
            kept &= run.run(faults).findings().isEmpty();
        }
        System.exit(kept ? 0 : 1);
    }

    private static List<Database> databases() {
        String names = System.getProperty("soak.database");
        return names == null
                ? List.of(Database.values())
                : Arrays.stream(names.split(","))
                        .map(name -> Database.valueOf(name.toUpperCase(Locale.ROOT)))
                        .toList();
    }
}
