package io.outbox.internal.polling;

import io.outbox.EventEnvelope;
import io.outbox.internal.metrics.EngineMetrics;
import io.outbox.internal.polling.PollTarget.FoundEvent;
import io.outbox.spi.DeliveryBackend;
import io.outbox.spi.DueEvent;
import io.outbox.spi.EventTypes;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads pages and hands them over, one at a time. Whatever was claimed and not handed over is given back, whatever
 * happens in between.
 */
final class Pages {

    private static final System.Logger LOG = System.getLogger("io.outbox.polling");

    private final DeliveryBackend backend;
    private final PollTarget target;
    private final PageReader reader;
    private final Lookout lookout;
    private final EngineMetrics metrics;
    private final Object pageLock = new Object();
    private boolean readyForTypes;

    Pages(DeliveryBackend backend, PollTarget target, PageReader reader, Lookout lookout, EngineMetrics metrics) {
        this.backend = backend;
        this.target = target;
        this.reader = reader;
        this.lookout = lookout;
        this.metrics = metrics;
    }

    /** Begins the walk of a pass at the front, with what is due at that time. */
    void begin(Pass pass, Instant asOf) {
        PollFeed feed = pass.feed();
        EventTypes types = feed.types();
        if (!readyForTypes && !types.isAll()) {
            backend.prepareReadsByType();
            readyForTypes = true;
        }
        if (pass.wantsVeryFront()) {
            lookout.forgetFront(types);
        }
        pass.walk().begin(asOf, types, lookout.range(types, asOf.minus(feed.leastWait())));
    }

    /** Reads and hands over the next page of a pass; returns false if there was no room for all of it. */
    boolean handOverNext(Pass pass) {
        // both ask the application, for listeners or for room, which must hold up nobody else's page
        EventTypes types = pass.walk().types(pass.feed());
        PageReader.PageRequest request = pass.next();
        synchronized (pageLock) {
            if (types.isNone()) {
                pass.walkedTo(null);
                return true;
            }
            target.scanStarted();
            try {
                PageReader.ReadPage page = read(pass, types, request);
                boolean taken = handOver(pass, page);
                if (taken) {
                    pass.walkedTo(page.next());
                } else if (page.claim().holder() != null) {
                    pass.walk().restart();
                }
                return taken;
            } finally {
                target.scanEnded();
            }
        }
    }

    private PageReader.ReadPage read(Pass pass, EventTypes types, PageReader.PageRequest request) {
        boolean isFirst = pass.walk().isAtFront();
        long began = System.nanoTime();
        PageReader.ReadPage page = reader.read(
                types, request, pass.takesOver(target.watch()), pass.state().gatherLostAnswers());
        if (isFirst) {
            Instant until = request.asOf().minus(reader.skipRecent());
            lookout.readFirst(types, request.after(), page, until, System.nanoTime() - began);
        }
        pass.read(request, page, metrics);
        return page;
    }

    /**
     * Hands over the events of a page; returns false if there was no room for all. Nothing that was claimed is
     * forgotten.
     */
    private boolean handOver(Pass pass, PageReader.ReadPage page) {
        List<FoundEvent> events = null;
        try {
            events = decode(page);
        } finally {
            if (events == null && page.claim().holder() != null) {
                target.giveBack(page.events(), page.claim());
            }
        }
        return target.offer(events, page.claim(), count -> {
            metrics.coldEnqueued(count);
            pass.found(count);
        });
    }

    /** Returns the events of a page; those that cannot be decoded go DEAD, each by itself. */
    private List<FoundEvent> decode(PageReader.ReadPage page) {
        List<FoundEvent> events = new ArrayList<>(page.events().size());
        for (DueEvent row : page.events()) {
            try {
                events.add(new FoundEvent(row, EventEnvelope.restore(row.event())));
            } catch (RuntimeException e) {
                LOG.log(Level.ERROR, "Event " + row.eventId() + " cannot be decoded and goes DEAD", e);
                target.bury(row, page.claim(), e);
            }
        }
        return events;
    }
}
