package io.outbox.spring.boot;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the outbox logs while this is open. */
public final class LogLines extends Handler implements AutoCloseable {

    private static final Logger OUTBOX = Logger.getLogger("io.outbox");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();

    public LogLines() {
        OUTBOX.addHandler(this);
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
        OUTBOX.removeHandler(this);
    }
}
