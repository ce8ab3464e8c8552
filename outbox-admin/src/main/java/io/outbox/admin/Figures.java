package io.outbox.admin;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one node, or several, did in some time: by event type, and what there was at most. Not thread-safe. */
final class Figures {

    /** Under which types beyond the first are counted together. */
    static final String OTHER_TYPES = "";

    private static final int MOST_TYPES = 40;
    private static final int LONGEST_TYPE = 128;

    /** What became of the attempts of one event type. */
    static final class OfType {
        private long done;
        private long failed;
        private long dead;
        private final Histogram waits;

        private OfType(long done, long failed, long dead, Histogram waits) {
            this.done = done;
            this.failed = failed;
            this.dead = dead;
            this.waits = waits;
        }

        private OfType() {
            this(0, 0, 0, new Histogram());
        }

        long done() {
            return done;
        }

        long failed() {
            return failed;
        }

        long dead() {
            return dead;
        }

        Histogram waits() {
            return waits;
        }

        void addDone() {
            done++;
        }

        void addFailed() {
            failed++;
        }

        void addDead() {
            dead++;
        }

        void add(OfType other) {
            done += other.done;
            failed += other.failed;
            dead += other.dead;
            waits.add(other.waits);
        }
    }

    private final Map<String, OfType> types = new LinkedHashMap<>();
    private long lagMs;
    private int hotQueue;
    private int coldQueue;

    /** Returns what to count a type in: of no more types than one row of the store has, and of others together. */
    OfType of(String eventType) {
        String type = eventType == null || eventType.length() > LONGEST_TYPE ? OTHER_TYPES : eventType;
        OfType known = types.get(type);
        return known != null
                ? known
                : types.computeIfAbsent(types.size() < MOST_TYPES ? type : OTHER_TYPES, each -> new OfType());
    }

    /**
     * Returns what one node did with a type in one row, be it nothing; {@code null} if the type may be among those that
     * are counted together.
     */
    OfType known(String eventType) {
        OfType known = types.get(eventType);
        boolean mayBeAmongOthers =
                types.containsKey(OTHER_TYPES) && (types.size() >= MOST_TYPES || eventType.length() > LONGEST_TYPE);
        return known != null || mayBeAmongOthers ? known : new OfType();
    }

    /** Returns what several rows say of a type together; {@code null} if one of them does not tell. */
    static OfType known(Collection<Figures> rows, String eventType) {
        OfType sum = new OfType();
        for (Figures row : rows) {
            OfType known = row.known(eventType);
            if (known == null) {
                return null;
            }
            sum.add(known);
        }
        return sum;
    }

    Map<String, OfType> types() {
        return types;
    }

    /** Returns all types together. */
    OfType total() {
        OfType total = new OfType();
        types.values().forEach(total::add);
        return total;
    }

    long lagMs() {
        return lagMs;
    }

    int hotQueue() {
        return hotQueue;
    }

    int coldQueue() {
        return coldQueue;
    }

    void lag(long ms) {
        lagMs = Math.max(lagMs, ms);
    }

    void queues(int hot, int cold) {
        hotQueue = Math.max(hotQueue, hot);
        coldQueue = Math.max(coldQueue, cold);
    }

    boolean isEmpty() {
        return types.isEmpty();
    }

    /** Adds what happened at another time or on another node, of any number of types. */
    void add(Figures other) {
        other.types.forEach((type, figures) -> exactly(type).add(figures));
        most(other);
    }

    /** Adds what happened at another time, of no more types than one row of the store has. */
    void addForRow(Figures other) {
        other.types.forEach((type, figures) -> of(type).add(figures));
        most(other);
    }

    private OfType exactly(String type) {
        return types.computeIfAbsent(type, each -> new OfType());
    }

    private void most(Figures other) {
        lag(other.lagMs);
        queues(other.hotQueue, other.coldQueue);
    }

    /** Adds what another node did at the same time: what waits in the queues of both waits together. */
    void addBeside(Figures other) {
        int hot = hotQueue + other.hotQueue;
        int cold = coldQueue + other.coldQueue;
        add(other);
        queues(hot, cold);
    }

    /** Returns it in few characters, for the store. */
    String json() {
        return Json.text(Map.of(
                "n",
                List.of(lagMs, hotQueue, coldQueue),
                "t",
                types.entrySet().stream()
                        .map(entry -> List.of(
                                entry.getKey(),
                                entry.getValue().done,
                                entry.getValue().failed,
                                entry.getValue().dead,
                                entry.getValue().waits.toString()))
                        .toList()));
    }

    /** Reads what {@link #json()} wrote, be it of another version; what cannot be read is left out. */
    static Figures parse(String json) {
        Figures figures = new Figures();
        try {
            Map<String, Object> content = Json.object(json.getBytes(StandardCharsets.UTF_8));
            if (content.get("n") instanceof List<?> most && most.size() >= 3) {
                figures.lag(number(most.get(0)));
                figures.queues((int) number(most.get(1)), (int) number(most.get(2)));
            }
            if (content.get("t") instanceof List<?> types) {
                for (Object each : types) {
                    if (each instanceof List<?> type && type.size() >= 5 && type.get(0) instanceof String name) {
                        figures.exactly(name)
                                .add(new OfType(
                                        number(type.get(1)),
                                        number(type.get(2)),
                                        number(type.get(3)),
                                        Histogram.of(String.valueOf(type.get(4)))));
                    }
                }
            }
        } catch (Problem e) {
            return figures;
        }
        return figures;
    }

    private static long number(Object value) {
        return value instanceof Number number ? number.longValue() : 0;
    }
}
