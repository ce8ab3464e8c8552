package io.outbox.redis;

import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.outbox.redis.RedisOutbox.Verification;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Compares the keys of an outbox with each other and mends what does not fit.
 *
 * <p>Scripts that read pass over entries whose event is missing or damaged, and name them; those are mended at once, so
 * that they keep nobody from delivering the others. The rest is found when somebody asks for it. Thread-safe.
 */
final class Mending {

    private static final System.Logger LOG = System.getLogger(Mending.class.getName());
    private static final String ENTRIES_OF_A_STEP = "500";
    private static final String BODIES_OF_A_STEP = "20";
    private static final int MOST_AT_ONCE = 500;
    private static final String FRONT = "0";
    private static final List<String> SETS_BY_TYPE = List.of("free:", "held:", "locks:", "keyed:", "keylocks:");
    private static final Set<String> SETS_OF_KEYS = Set.of("order", "parked");

    private final RedisCalls redis;
    private final AtomicLong mended = new AtomicLong();

    Mending(RedisCalls redis) {
        this.redis = redis;
    }

    /** Returns how many damaged entries were found and mended. */
    long mended() {
        return mended.get();
    }

    /**
     * Mends entries that a script has passed over. If that fails, they are passed over again.
     *
     * @param damaged names of sets and members, in turn
     * @return whether there were any, and all were mended
     */
    boolean mend(Object damaged) {
        List<String> entries =
                ((List<?>) damaged).stream().map(String.class::cast).toList();
        boolean areMended = !entries.isEmpty();
        for (int from = 0; from < entries.size(); from += 2 * MOST_AT_ONCE) {
            List<String> args = new ArrayList<>(List.of("entries", FRONT, FRONT, "repair"));
            args.addAll(entries.subList(from, Math.min(entries.size(), from + 2 * MOST_AT_ONCE)));
            try {
                List<?> faults = (List<?>) redis.run(Script.REPAIR, args).get(2);
                mended.addAndGet(faults.size());
                LOG.log(
                        Level.WARNING,
                        "Outbox ''{0}'' had damaged entries, which were repaired; an event whose body is lost goes"
                                + " DEAD: {1}. Look for the cause (eviction, keys changed by hand), and run"
                                + " RedisOutbox.verify()",
                        redis.keys().name(),
                        faults);
            } catch (RedisOutboxException e) {
                areMended = false;
                LOG.log(
                        Level.WARNING,
                        "Damaged entries of outbox '" + redis.keys().name() + "' stay: " + entries,
                        e);
            }
        }
        return areMended;
    }

    /** Compares everything, in steps that the server hardly feels. */
    Verification run(boolean repair, Consumer<Verification> progress) {
        Verification soFar = all("event", ENTRIES_OF_A_STEP, repair, new Verification(0, 0, List.of()), progress);
        for (String set : sets()) {
            soFar = all(set, ENTRIES_OF_A_STEP, repair, soFar, progress);
        }
        if (soFar.faultCount() > 0 || bodies() != events()) {
            soFar = all("body", BODIES_OF_A_STEP, repair, soFar, progress);
        }
        for (String part : List.of("types", "deadcount")) {
            soFar = all(part, ENTRIES_OF_A_STEP, repair, soFar, progress);
        }
        if (repair) {
            mended.addAndGet(soFar.faultCount());
        }
        return soFar;
    }

    private Verification all(
            String part, String step, boolean repair, Verification before, Consumer<Verification> progress) {
        Verification soFar = before;
        String cursor = FRONT;
        do {
            List<Object> reply = redis.run(
                    repair ? Script.REPAIR : Script.VERIFY, List.of(part, cursor, step, repair ? "repair" : ""));
            cursor = (String) reply.get(0);
            soFar = soFar.plus((Long) reply.get(1), (List<?>) reply.get(2));
            progress.accept(soFar);
        } while (!cursor.equals(FRONT));
        return soFar;
    }

    /** Finds the sorted sets, also those that no other key knows of. */
    private List<String> sets() {
        String prefix = redis.keys().prefix();
        ScanArgs matching = ScanArgs.Builder.matches(prefix + "*").limit(1_000);
        TreeSet<String> names = new TreeSet<>(List.of("done", "dead"));
        ScanCursor cursor = ScanCursor.INITIAL;
        do {
            ScanCursor from = cursor;
            KeyScanCursor<String> page = redis.call(commands -> commands.scan(from, matching));
            page.getKeys().stream()
                    .map(key -> key.substring(prefix.length()))
                    .filter(name ->
                            SETS_OF_KEYS.contains(name) || SETS_BY_TYPE.stream().anyMatch(name::startsWith))
                    .forEach(names::add);
            cursor = page;
        } while (!cursor.isFinished());
        return List.copyOf(names);
    }

    private long events() {
        return redis.call(commands -> commands.hlen(redis.keys().event()));
    }

    private long bodies() {
        return redis.call(commands -> commands.hlen(redis.keys().prefix() + "body"));
    }
}
