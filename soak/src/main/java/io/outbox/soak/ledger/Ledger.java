package io.outbox.soak.ledger;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The file in which one node notes what it does, so that the truth survives the node. Thread-safe. */
public final class Ledger implements AutoCloseable {

    private final FileChannel file;

    private Ledger(FileChannel file) {
        this.file = file;
    }

    /** Opens a ledger for appending; the file is created where it is missing. */
    public static Ledger open(Path path) throws IOException {
        return new Ledger(FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    /** Appends an entry; it is in the operating system's hands when this returns, whatever becomes of the process. */
    public synchronized void append(Entry entry) {
        try {
            ByteBuffer line = ByteBuffer.wrap((entry.line() + "\n").getBytes(StandardCharsets.UTF_8));
            while (line.hasRemaining()) {
                file.write(line);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        file.close();
    }

    /** Returns the complete entries of a ledger that may still be written to, none if there is no file yet. */
    public static List<Entry> read(Path path) {
        if (!Files.exists(path)) {
            return List.of();
        }
        try {
            String text = Files.readString(path);
            // A process that was killed in the middle of a line never finishes it.
            return text.substring(0, text.lastIndexOf('\n') + 1)
                    .lines()
                    .map(Entry::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
