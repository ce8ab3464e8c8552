package io.outbox.soak;

import io.outbox.soak.Store.Trouble;
import io.outbox.testservers.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * A disk without space for the server's next write, which an operator frees before starting the server again. Some
 * servers end then, some answer with errors, some wait. Used by one thread.
 */
final class FullDisk implements Trouble {

    private static final int STEP = 1 << 20;

    private final Path filler;
    private final TestServer server;

    /** @param directory on the disk of the server, which should have but little space */
    FullDisk(Path directory, TestServer server) {
        this.filler = directory.resolve("filler");
        this.server = server;
    }

    @Override
    public Set<String> begin() throws IOException {
        try (OutputStream out = Files.newOutputStream(filler)) {
            for (byte[] step = new byte[STEP]; step.length > 0; ) {
                try {
                    out.write(step);
                } catch (IOException full) {
                    step = new byte[step.length / 2];
                }
            }
        }
        return Set.of();
    }

    @Override
    public void end() throws IOException {
        Files.delete(filler);
        server.restart();
    }
}
