package io.outbox.testservers.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the library, or one class of it, logs while this is open. */
public final class LogLines extends Handler implements AutoCloseable {

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();
    private final Logger logger;

    public LogLines() {
        this("io.outbox");
    }

    public LogLines(Class<?> type) {
        this(type.getName());
    }

    private LogLines(String logger) {
        this.logger = Logger.getLogger(logger);
        this.logger.addHandler(this);
    }

    public List<String> lines() {
        return records.stream().map(formatter::formatMessage).toList();
    }

    /** Returns the lines of this level. */
    public List<String> at(Level level) {
        return records.stream()
                .filter(line -> line.getLevel().equals(level))
                .map(formatter::formatMessage)
                .toList();
    }

    @Override
    public void publish(LogRecord line) {
        records.add(line);
    }

    @Override
    public void flush() {
        // nothing is kept back
    }

    @Override
    public void close() {
        logger.removeHandler(this);
    }
}
