package io.outbox.testservers.support;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Everything the library logs at any level, stack traces included, while this is open. */
public final class CapturedLog extends Handler implements AutoCloseable {

    private final Logger logger = Logger.getLogger("io.outbox");
    private final Level level = logger.getLevel();
    private final boolean useParentHandlers = logger.getUseParentHandlers();
    private final StringBuffer text = new StringBuffer();
    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** The servers that tests use are no part of the library, and whichever test comes first starts them. */
    private CapturedLog() {
        setLevel(Level.ALL);
        setFilter(entry -> !entry.getLoggerName().startsWith("io.outbox.testservers"));
    }

    public static CapturedLog open() {
        CapturedLog log = new CapturedLog();
        log.logger.setLevel(Level.ALL);
        log.logger.setUseParentHandlers(false);
        log.logger.addHandler(log);
        return log;
    }

    @Override
    public void publish(LogRecord entry) {
        if (!isLoggable(entry)) {
            return;
        }
        text.append(new SimpleFormatter().formatMessage(entry)).append('\n');
        if (entry.getLevel().intValue() >= Level.WARNING.intValue()) {
            warnings.add(new SimpleFormatter().formatMessage(entry));
        }
        if (entry.getThrown() != null) {
            text.append(stackTrace(entry.getThrown()));
        }
    }

    /** Returns what a logger would print for an exception. */
    public static String stackTrace(Throwable e) {
        StringWriter out = new StringWriter();
        e.printStackTrace(new PrintWriter(out));
        return out.toString();
    }

    public String text() {
        return text.toString();
    }

    /** Returns the messages of warnings and errors. */
    public List<String> warnings() {
        return warnings;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        logger.removeHandler(this);
        logger.setLevel(level);
        logger.setUseParentHandlers(useParentHandlers);
    }
}
