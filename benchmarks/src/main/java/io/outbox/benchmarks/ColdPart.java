package io.outbox.benchmarks;

import java.util.List;
import java.util.Map;

/**
 * How fast a backlog is delivered by a JVM that has just been started, as after a deployment: mostly by code that is
 * not compiled yet, so that the figures show how much code an event passes through.
 */
final class ColdPart implements Part {

    private final Database database;
    private final List<Drain> drains;

    ColdPart(Database database, List<Drain> drains) {
        this.database = database;
        this.drains = drains;
    }

    @Override
    public void run(Report report) throws Exception {
        int events = Settings.COLD_EVENTS;
        Map<Drain, Results<Figures>> results =
                Rounds.run("Backlog, cold JVM", drains, Settings.ROUNDS, drain -> measure(drain, events));
        DrainPart.report(
                report,
                String.format("Backlog of %,d events of 300 bytes, PostgreSQL, JVM just started", events),
                results);
    }

    private Figures measure(Drain drain, int events) throws Exception {
        drain.prepare(database, events);
        try (Child child =
                Child.start(List.of(), Draining.class, database.url(), drain.key(), Integer.toString(events))) {
            String[] figures = child.answer().split(" ");
            return new Figures(
                    Double.parseDouble(figures[0]),
                    Double.parseDouble(figures[1]),
                    Double.NaN,
                    Double.parseDouble(figures[2]));
        }
    }

    /** The JVM that has just been started. Its clock begins when it is connected to the database. */
    static final class Draining {

        private Draining() {}

        public static void main(String[] args) throws Exception {
            try (Database database = Database.existing(args[0])) {
                Figures figures = Drain.of(args[1]).measure(database, Integer.parseInt(args[2]));
                Child.tell(figures.perSecond() + " " + figures.jvmMicros() + " " + figures.walBytes());
            }
        }
    }
}
