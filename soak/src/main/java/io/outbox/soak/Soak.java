package io.outbox.soak;

import io.outbox.soak.fault.FaultKind;
import io.outbox.soak.fault.PlannedFault;
import io.outbox.soak.fault.Schedule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Kills, freezes and cuts off nodes and servers under load, on one database after the other, and ends with exit code 1
 * if a promise was broken.
 *
 * <p>System properties: {@code soak.database} (of {@code postgresql,mysql,mariadb,redis}, default all), {@code
 * soak.ordering} (of {@code none,key}, default both, one after the other), {@code soak.minutes} (for each run, default
 * 5), {@code soak.faults} (names of {@link FaultKind}, default all), {@code soak.skew} (seconds by which the clocks of
 * nodes differ, default 90), {@code soak.disk} (a directory on a small disk for the data of servers, without which that
 * disk is never full), {@code soak.former} (a directory with jars of a former version, by which nodes run until they
 * are replaced), {@code soak.seed} (default: another one each time), {@code soak.directory} (for ledgers and reports,
 * default {@code soak/target/soak}).
 */
public final class Soak {

    private Soak() {}

    public static void main(String[] args) throws Exception {
        List<Database> databases = databases();
        String minutes = System.getProperty("soak.minutes", "5");
        Duration length = Duration.ofMillis((long) (Double.parseDouble(minutes) * 60_000));
        long skew = Long.getLong("soak.skew", 90);
        long seed = Long.getLong("soak.seed", new Random().nextInt(Integer.MAX_VALUE));
        Path directory = Path.of(System.getProperty("soak.directory", "soak/target/soak"));
        Database.disk()
                .ifPresentOrElse(
                        disk -> System.setProperty(Database.DATA, disk.toString()),
                        () -> System.out.println("The disk is never full: no small one is given by -Dsoak.disk"));
        boolean kept = true;
        for (Database database : databases) {
            Set<FaultKind> kinds = faults(database);
            if (kinds.isEmpty()) {
                continue;
            }
            List<PlannedFault> faults = new Schedule(seed, SoakRun.NODES, SoakRun.LEASE, kinds).plan(length);
            for (String ordering :
                    System.getProperty("soak.ordering", "none,key").split(",")) {
                String name = database.name().toLowerCase(Locale.ROOT) + "-" + ordering + "-" + seed;
                System.out.println("Again: -Dsoak.database=" + database.name().toLowerCase(Locale.ROOT)
                        + " -Dsoak.ordering=" + ordering + " -Dsoak.minutes=" + minutes + " -Dsoak.seed=" + seed
                        + " -Dsoak.skew=" + skew + " -Dsoak.faults=" + names(kinds));
                SoakRun run =
                        new SoakRun(database, seed, directory.resolve(name), System.out).skew(Duration.ofSeconds(skew));
                kept &= (ordering.equals("key") ? run.inOrder() : run)
                        .run(faults)
                        .findings()
                        .isEmpty();
            }
        }
        System.exit(kept ? 0 : 1);
    }

    /** Returns those of the faults asked for that make sense on the database; all if none is named. */
    private static Set<FaultKind> faults(Database database) {
        String names = System.getProperty("soak.faults");
        Set<FaultKind> asked = names == null
                ? EnumSet.allOf(FaultKind.class)
                : Arrays.stream(names.split(","))
                        .map(name -> FaultKind.valueOf(name.toUpperCase(Locale.ROOT)))
                        .collect(Collectors.toCollection(() -> EnumSet.noneOf(FaultKind.class)));
        asked.retainAll(database.faults());
        return asked;
    }

    private static String names(Set<FaultKind> kinds) {
        return kinds.stream().map(kind -> kind.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(","));
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
