package io.outbox.support;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What the outbox logs while this is open. */
public final class LogLines implements AutoCloseable {

    private static final Logger OUTBOX = Logger.getLogger("io.outbox");

    private final List<LogRecord> records = new CopyOnWriteArrayList<>();
    private final SimpleFormatter formatter = new SimpleFormatter();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            records.add(line);
        }

        @Override
        public void flush() {
            // nothing is buffered
        }

        @Override
        public void close() {
            // nothing is open
        }
    };

    public LogLines() {
        OUTBOX.addHandler(handler);
    }

    /** Returns the lines of this level that contain the text. */
    public List<String> at(Level level, String text) {
        return records.stream()
                .filter(line -> line.getLevel().equals(level))
                .map(formatter::formatMessage)
                .filter(message -> message.contains(text))
                .toList();
    }

    /** Returns what the first line that contains the text was logged with, or {@code null}. */
    public Throwable thrown(String text) {
        return records.stream()
                .filter(line -> line.getLevel().intValue() >= Level.INFO.intValue())
                .filter(line -> formatter.formatMessage(line).contains(text))
                .findFirst()
                .orElseThrow()
                .getThrown();
    }

    @Override
    public void close() {
        OUTBOX.removeHandler(handler);
    }
}
