package io.outbox.upkeep;

import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A fault that may last, in the log: its first occurrence is loud, repetitions are for debugging, and when it is over
 * one line says so. Then the next one is a first one again. Thread-safe.
 *
 * <p>Loud is {@link Level#ERROR} if work stands still meanwhile, such as polls or purges, and {@link Level#WARNING} if
 * it continues by other means, such as without hints or metrics.
 */
public final class Outage {

    private final System.Logger log;
    private final Level loud;
    private final String failure;
    private final @Nullable String over;
    private final AtomicBoolean lasts = new AtomicBoolean();

    /**
     * @param loud the level of the first occurrence
     * @param failure what failed, and the consequence
     * @param over what is logged, as information, when it works again; {@code null} if that cannot be noticed
     */
    public Outage(System.Logger log, Level loud, String failure, @Nullable String over) {
        this.log = Objects.requireNonNull(log, "log");
        this.loud = Objects.requireNonNull(loud, "loud");
        this.failure = Objects.requireNonNull(failure, "failure");
        this.over = over;
    }

    /** A fault whose end cannot be noticed: only its first occurrence is loud, as a warning. */
    public Outage(System.Logger log, String failure) {
        this(log, Level.WARNING, failure, null);
    }

    /** Logs that it failed. */
    public void failed(Throwable cause) {
        failed(failure, cause);
    }

    /** Logs that it failed, in words of this moment. */
    public void failed(String message, Throwable cause) {
        log.log(lasts.getAndSet(true) ? Level.DEBUG : loud, message, cause);
    }

    /** Notes that it worked. Cheap as long as nothing has failed. */
    public void over() {
        if (over != null && lasts.get() && lasts.compareAndSet(true, false)) {
            log.log(Level.INFO, over);
        }
    }
}
