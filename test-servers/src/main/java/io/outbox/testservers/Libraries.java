package io.outbox.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Shared libraries of the system that a server needs. */
final class Libraries {

    private static final List<Path> DIRECTORIES = List.of(
            Path.of("/lib/x86_64-linux-gnu"),
            Path.of("/usr/lib/x86_64-linux-gnu"),
            Path.of("/lib64"),
            Path.of("/usr/lib64"),
            Path.of("/usr/lib"),
            Path.of("/usr/local/lib"));

    private Libraries() {}

    /** Throws unless the library is there; the message tells how to install it. */
    static void require(String server, String library, String debianPackage) throws IOException {
        if (DIRECTORIES.stream().noneMatch(directory -> Files.exists(directory.resolve(library)))) {
            throw new IOException(server + " needs " + library
                    + ", which is not installed; run\n    apt-get install -y " + debianPackage);
        }
    }
}
