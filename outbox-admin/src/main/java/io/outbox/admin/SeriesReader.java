package io.outbox.admin;

import io.outbox.model.ClusterFigures;
import io.outbox.model.OpenEvents;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What nodes did, put together from the rows that each of them keeps. */
final class SeriesReader {

    /** How far back figures go. */
    static final int MOST_MINUTES = (int) FigureKeeper.QUARTERS_KEPT.toMinutes();

    private static final int MOST_POINTS = 100;
    private static final int RECENT_MINUTES = 5;
    private static final int SHOWN_MINUTES = 30;
    private static final int MOST_FAILING = 5;

    /** A minute counts once its nodes had a little time to write it. */
    private static final long SETTLED_SECONDS = 3;

    private final Member member;

    SeriesReader(Member member) {
        this.member = member;
    }

    /**
     * Returns what was done up to now, as at most a hundred slots; the time that has only begun is left out.
     *
     * @param node the name of a node, or {@code null} for all together
     * @param eventType a type, or {@code null} for all together
     */
    Views.Series last(int minutes, String node, String eventType) {
        int span = minutes <= FigureKeeper.MINUTES_KEPT.toMinutes() ? FigureKeeper.MINUTE : FigureKeeper.QUARTER;
        int count = Math.max(1, minutes / span);
        int size = (count + MOST_POINTS - 1) / MOST_POINTS;
        long end = member.now().minusSeconds(SETTLED_SECONDS).getEpochSecond() / 60 / span;
        long first = (end - count) / size;
        Map<Long, Slot> slots = new TreeMap<>();
        for (long number = first; number * size < end; number++) {
            slots.put(number, new Slot());
        }
        Predicate<ClusterFigures> isMeant = row -> row.slot() < end && (node == null || node.equals(row.nodeName()));
        member.cluster().figures(span, first * size).stream().filter(isMeant).forEach(row -> {
            Slot slot = slots.get(row.slot() / size);
            if (slot != null) {
                slot.add(row);
            }
        });
        List<Views.Slot> items = new ArrayList<>();
        slots.forEach((number, slot) ->
                items.add(slot.view(Instant.ofEpochSecond(number * size * span * 60), span * 60L, eventType)));
        return new Views.Series(size * span * 60_000L, items, failing(slots.values()));
    }

    /** Returns the types with the most failed attempts in all that time. */
    private static List<Views.Failing> failing(Collection<Slot> slots) {
        Figures all = new Figures();
        slots.forEach(slot -> slot.bySpan.values().forEach(all::add));
        return all.types().entrySet().stream()
                .filter(type -> !type.getKey().isEmpty())
                .map(type -> new Views.Failing(
                        type.getKey(), type.getValue().failed(), type.getValue().dead()))
                .filter(type -> type.failed() + type.dead() > 0)
                .sorted(Comparator.comparingLong(Views.Failing::failed)
                        .thenComparing(Views.Failing::dead)
                        .reversed())
                .limit(MOST_FAILING)
                .toList();
    }

    /** What several nodes did in one or more spans. */
    private static final class Slot {
        private final Map<Long, Figures> bySpan = new TreeMap<>();
        private final List<Figures> rows = new ArrayList<>();
        private final Set<String> nodes = new HashSet<>();

        private void add(ClusterFigures row) {
            Figures figures = Figures.parse(row.content());
            nodes.add(row.nodeId());
            rows.add(figures);
            bySpan.computeIfAbsent(row.slot(), number -> new Figures()).addBeside(figures);
        }

        private Views.Slot view(Instant at, long spanSeconds, String eventType) {
            long seconds = bySpan.size() * spanSeconds;
            Figures all = new Figures();
            bySpan.values().forEach(all::add);
            Figures.OfType figures = eventType == null ? all.total() : Figures.known(rows, eventType);
            boolean isAll = eventType == null;
            if (bySpan.isEmpty() || figures == null) {
                return new Views.Slot(at, nodes.size(), seconds, null, null, null, null, null, null, null, null, null);
            }
            return new Views.Slot(
                    at,
                    nodes.size(),
                    seconds,
                    figures.done(),
                    figures.failed(),
                    figures.dead(),
                    figures.waits().percentile(0.5),
                    figures.waits().percentile(0.95),
                    figures.waits().percentile(0.99),
                    isAll ? all.lagMs() : null,
                    isAll ? all.hotQueue() : null,
                    isAll ? all.coldQueue() : null);
        }
    }

    /**
     * What all nodes did in the last minutes, by event type.
     *
     * @param minutes the rows of each of the last thirty minutes, the oldest first; none where nothing is known
     */
    record Recent(List<List<Figures>> minutes) {

        /** Returns the types that something was done with in the last minutes. */
        Set<String> types() {
            return latest().flatMap(row -> row.types().keySet().stream()).collect(Collectors.toSet());
        }

        private Stream<Figures> latest() {
            return minutes.subList(minutes.size() - RECENT_MINUTES, minutes.size()).stream()
                    .flatMap(List::stream);
        }

        private long seconds() {
            return 60
                    * minutes.subList(minutes.size() - RECENT_MINUTES, minutes.size()).stream()
                            .filter(rows -> !rows.isEmpty())
                            .count();
        }

        /**
         * Returns how a type fared; {@code null} if that is not known.
         *
         * @param isFlowing whether what is due is known, and being delivered, so that it can be said when nothing is
         * left
         */
        Views.Rates rates(OpenEvents open, boolean isFlowing) {
            long seconds = seconds();
            Figures.OfType type = Figures.known(latest().toList(), open.eventType());
            if (seconds == 0 || type == null) {
                return null;
            }
            return new Views.Rates(
                    rounded((double) type.done() / seconds),
                    rounded(type.failed() * 60.0 / seconds),
                    type.waits().percentile(0.5),
                    type.waits().percentile(0.95),
                    type.waits().percentile(0.99),
                    isFlowing && open.due() > 0 && type.done() > 0
                            ? Math.round(open.due() * 1000.0 * seconds / type.done())
                            : null,
                    minutes(open.eventType()));
        }

        private static double rounded(double value) {
            return Math.round(value * 100) / 100.0;
        }

        private List<Views.Minute> minutes(String eventType) {
            List<Views.Minute> known = new ArrayList<>();
            for (int i = 0; i < minutes.size(); i++) {
                Figures.OfType type = Figures.known(minutes.get(i), eventType);
                if (!minutes.get(i).isEmpty() && type != null) {
                    known.add(new Views.Minute(minutes.size() - i, type.done()));
                }
            }
            return known;
        }
    }

    Recent recent() {
        long end = member.now().minusSeconds(SETTLED_SECONDS).getEpochSecond() / 60;
        long begin = end - SHOWN_MINUTES;
        List<List<Figures>> minutes = Stream.generate(() -> (List<Figures>) new ArrayList<Figures>())
                .limit(SHOWN_MINUTES)
                .toList();
        member.cluster().figures(FigureKeeper.MINUTE, begin).stream()
                .filter(row -> row.slot() < end)
                .forEach(row -> minutes.get((int) (row.slot() - begin)).add(Figures.parse(row.content())));
        return new Recent(minutes);
    }
}
