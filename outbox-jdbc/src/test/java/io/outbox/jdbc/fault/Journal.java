package io.outbox.jdbc.fault;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a node did, line by line in a file of its own, so that it survives the node's death. Thread-safe. */
final class Journal implements AutoCloseable {

    enum Kind {
        STARTED,
        ENDED,
        COMMITTED,
        ROLLED_BACK,
        READY,
        WRITTEN,
        CLOSED
    }

    private final FileOutputStream file;

    private Journal(FileOutputStream file) {
        this.file = file;
    }

    static Journal open(Path path) throws IOException {
        return new Journal(new FileOutputStream(path.toFile(), true));
    }

    /** Notes a fact; it is in the operating system's hands when this returns, also on a thread that is interrupted. */
    synchronized void note(Kind kind, String subject) {
        try {
            file.write((kind + " " + subject + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Returns the subjects of one kind in the order they were noted. */
    static List<String> read(Path path, Kind kind) {
        if (!Files.exists(path)) {
            return List.of();
        }
        try {
            List<String> subjects = new ArrayList<>();
            String text = Files.readString(path);
            // A line that is being written has no end yet.
            text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .filter(line -> line.startsWith(kind + " "))
                    .forEach(line -> subjects.add(line.substring(kind.name().length() + 1)));
            return subjects;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
