package io.outbox.admin;

import io.outbox.Outbox;
import io.outbox.model.OutboxStatus.State;
import io.outbox.spi.ClusterBackend;
import io.outbox.upkeep.Outage;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * This node among those on its store: says that it is there, does what operators have ordered for all, and keeps its
 * figures.
 *
 * <p>A beat is one statement that also asks for news. A node at rest beats every 15 seconds and writes a row of figures
 * each minute, which is less than a statement in ten seconds. One that delivers, or has events in hand, beats every
 * five seconds, so a pause takes effect within those; one that was at rest does so within a second of its first
 * delivery. Everything happens on one thread; what fails is logged and tried again.
 *
 * <p>Times are those of the store, so a node whose clock is off is heard as others are, and its figures are in the
 * right minutes. A node that is frozen is silent; when it goes on, its next beat tells what has changed.
 */
final class Member implements AutoCloseable {

    /**
     * How often a node does what.
     *
     * @param silence after this, a node that has not been heard of counts as gone
     * @param firstCleanUp a node first deletes what is too old after a random time between a tenth of this and this
     */
    record Pace(Duration tick, Duration busyBeat, Duration restBeat, Duration silence, Duration firstCleanUp) {

        static final Pace USUAL = new Pace(
                Duration.ofSeconds(1),
                Duration.ofSeconds(5),
                Duration.ofSeconds(15),
                Duration.ofSeconds(60),
                Duration.ofMinutes(10));

        /** Returns a random time, so that nodes that start together do not clean up together. */
        private Duration untilCleanUp() {
            long most = firstCleanUp.toNanos();
            return Duration.ofNanos(ThreadLocalRandom.current().nextLong(most / 10, most + 1));
        }
    }

    private static final Duration CLEAN_UP = Duration.ofHours(1);
    private static final Duration NODES_KEPT = Duration.ofDays(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
    private static final int LONGEST_NAME = 128;
    private static final System.Logger LOG = System.getLogger(Member.class.getName());

    private final Outbox outbox;
    private final ClusterBackend cluster;
    private final Pauses pauses;
    private final OutboxSeries series;
    private final FigureKeeper figures;
    private final Clock clock;
    private final PayloadMask mask;
    private final Pace pace;
    private final String id = UUID.randomUUID().toString();
    private final String name;
    private final Outage outage = new Outage(
            LOG,
            Level.WARNING,
            "This node cannot reach the other nodes, so it is not shown to them and does not learn what operators"
                    + " order for all nodes; it keeps trying",
            "This node reaches the other nodes again");
    private final ScheduledThreadPoolExecutor ticker =
            new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-member-"));
    private final Set<String> pausedTypes = new TreeSet<>();
    private boolean isPaused;
    private Runnable whenJobsWait = () -> {};
    private volatile long offsetMs;
    private long knownRevision = -1;
    private long knownChanges;
    private boolean isBusy;
    private long beatAtNanos;
    private long cleanUpAtNanos;
    private long countedDone;
    private long countedAtNanos = System.nanoTime();
    private volatile boolean isOver;

    /**
     * The series may be {@code null}: then there are no figures, and only events in hand show that the node delivers.
     */
    Member(Outbox outbox, ClusterBackend cluster, String name, Membership.Settings settings) {
        this.pace = settings.pace();
        this.beatAtNanos = System.nanoTime() - pace.restBeat.toNanos();
        this.cleanUpAtNanos = System.nanoTime() + pace.untilCleanUp().toNanos();
        this.outbox = outbox;
        this.cluster = cluster;
        this.pauses = new Pauses(cluster, settings.clock());
        this.series = settings.series();
        this.clock = settings.clock();
        this.mask = settings.mask();
        this.name = name.length() <= LONGEST_NAME ? name : name.substring(0, LONGEST_NAME);
        this.figures = new FigureKeeper(cluster, id, this.name);
        ticker.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    String id() {
        return id;
    }

    String name() {
        return name;
    }

    Pace pace() {
        return pace;
    }

    ClusterBackend cluster() {
        return cluster;
    }

    Pauses pauses() {
        return pauses;
    }

    /** Returns the store's time, as far as it is known. */
    Instant now() {
        return clock.instant().plusMillis(offsetMs);
    }

    /**
     * Joins the others, and begins to beat. What was paused before is paused when this returns, if the store answers.
     */
    void start(Runnable jobsWait) {
        this.whenJobsWait = jobsWait;
        tick();
        ticker.scheduleWithFixedDelay(this::tick, pace.tick.toNanos(), pace.tick.toNanos(), TimeUnit.NANOSECONDS);
    }

    private synchronized void tick() {
        if (isOver) {
            return;
        }
        try {
            long changes = series == null ? 0 : series.changes();
            isBusy |= changes != knownChanges || outbox.eventsInHand() > 0;
            Duration rest = isBusy ? pace.busyBeat : pace.restBeat;
            if (System.nanoTime() - beatAtNanos >= rest.toNanos()) {
                beatAtNanos = System.nanoTime();
                knownChanges = changes;
                isBusy = false;
                beat();
            }
            if (series != null) {
                figures.keep(series.takeWhole());
            }
            cleanUp();
            outage.over();
        } catch (RuntimeException | Error e) {
            beatAtNanos = System.nanoTime() - pace.restBeat.toNanos() + pace.busyBeat.toNanos();
            outage.failed(e);
        }
    }

    private void beat() {
        ClusterBackend.Watch watch =
                new ClusterBackend.Watch(Pauses.ID, knownRevision, BulkJobs.OPEN, now().minus(pace.silence));
        if (knownRevision < 0 || !cluster.beat(id, report(), watch)) {
            look();
        }
    }

    /** Does what operators have ordered, without waiting for the next beat. */
    synchronized void look() {
        if (isOver) {
            return;
        }
        Instant before = clock.instant();
        Instant joined = cluster.join(id, name, report());
        Instant after = clock.instant();
        Instant between = before.plus(Duration.between(before, after).dividedBy(2));
        offsetMs = Duration.between(between, joined).toMillis();
        if (series != null) {
            series.offset(offsetMs);
        }
        Pauses.Known known = pauses.read();
        apply(known);
        knownRevision = known.revision();
        whenJobsWait.run();
    }

    /** Lets all nodes look at what operators have ordered with their next beats. */
    void callOthers() {
        pauses.announce();
    }

    /** Pauses and resumes what operators have; what the application itself has paused stays as it is. */
    private void apply(Pauses.Known known) {
        if (outbox.state() == State.CLOSED || outbox.sharedLane().isEmpty()) {
            return;
        }
        boolean wantsPause =
                known.pauses().stream().anyMatch(pause -> pause.eventType() == null && pause.holdsFor(name));
        Set<String> wanted = known.pauses().stream()
                .filter(pause -> pause.holdsFor(name) && outbox.lanes().containsKey(pause.eventType()))
                .map(Pauses.Pause::eventType)
                .collect(Collectors.toSet());
        wanted.stream().filter(type -> pausedTypes.add(type)).forEach(outbox::pause);
        Set<String> resumed = new TreeSet<>(pausedTypes);
        resumed.removeAll(wanted);
        resumed.forEach(outbox::resume);
        pausedTypes.removeAll(resumed);
        if (wantsPause && !isPaused) {
            outbox.pause();
        } else if (isPaused && !wantsPause) {
            outbox.resume();
        }
        isPaused = wantsPause;
    }

    /** Returns whether operators have paused a type, or all delivery, on a node, or on all. */
    boolean isPaused(String eventType, String node) {
        return pauses.read().pauses().stream()
                .anyMatch(pause ->
                        Objects.equals(pause.eventType(), eventType) && (node == null || pause.holdsFor(node)));
    }

    /** Resumes what the application itself has paused on this node, if it is meant. */
    void resumeHere(String eventType, String node) {
        if ((node != null && !node.equals(name)) || outbox.sharedLane().isEmpty()) {
            return;
        }
        if (eventType == null) {
            outbox.resume();
        } else {
            outbox.resume(eventType);
        }
    }

    private String report() {
        return NodeReport.of(outbox, clock.instant(), rate(), mask);
    }

    /** Returns how many events were delivered a second since the last report, or {@code null} if that is not known. */
    private Double rate() {
        if (series == null) {
            return null;
        }
        long done = series.done();
        double seconds = (System.nanoTime() - countedAtNanos) / 1e9;
        double rate = seconds < 0.5 ? 0 : Math.round((done - countedDone) / seconds * 10) / 10.0;
        countedDone = done;
        countedAtNanos = System.nanoTime();
        return rate;
    }

    private void cleanUp() {
        if (System.nanoTime() - cleanUpAtNanos >= 0) {
            cleanUpAtNanos = System.nanoTime() + CLEAN_UP.toNanos();
            figures.purge(now());
            cluster.forgetNodes(now().minus(NODES_KEPT));
        }
    }

    /**
     * Keeps the last figures, and tells the others that this node stops; does not wait for a store that does not
     * answer.
     */
    @Override
    public void close() {
        if (isOver) {
            return;
        }
        isOver = true;
        ticker.shutdown();
        try {
            if (!ticker.awaitTermination(LONGEST_WAIT.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            if (series != null) {
                figures.keep(series.takeAll());
                figures.keepQuarter();
            }
            cluster.leave(id);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.log(Level.DEBUG, "This node stops without telling the others, who will notice", e);
        }
    }
}
