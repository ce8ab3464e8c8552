package io.outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A server of another version than the build's, as {@code bin/newer-server} unpacks it: a program that starts it, in a
 * directory with its files below {@code usr}.
 */
final class OtherServer {

    private final Path program;

    private OtherServer(Path program) {
        this.program = program;
    }

    /** Returns the server whose program an environment variable names, or {@code null} for that of the build. */
    static OtherServer of(String variable) {
        String program = System.getenv(variable);
        return program == null || program.isEmpty()
                ? null
                : new OtherServer(Path.of(program).toAbsolutePath());
    }

    String program() {
        return program.toString();
    }

    /** Returns the directory that the server takes for that of its installation. */
    Path home() {
        return program.resolveSibling("usr");
    }

    /** Returns the directory of a file that is somewhere below {@code usr/share}. */
    Path sharedDirectoryOf(String file) throws IOException {
        try (Stream<Path> files = Files.find(home().resolve("share"), 3, (path, kind) -> path.endsWith(file))) {
            List<Path> found = files.toList();
            if (found.isEmpty()) {
                throw new IOException("No " + file + " below " + home());
            }
            return found.get(0).getParent();
        }
    }
}
