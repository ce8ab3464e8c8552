package io.outbox.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A server process that belongs to this JVM, or the address of one that runs elsewhere.
 *
 * <p><b>Life of a process.</b> The server is a direct child of the JVM and works in a private directory below the
 * cache, where its data and its log are. Beside it runs a watchdog, a shell that blocks reading a pipe from this JVM.
 * The pipe ends when {@link #close()} closes it and also when the JVM dies, even by SIGKILL; then the watchdog stops
 * the server and deletes the directory. So there is one way to stop a server, and it needs no cooperation of the JVM.
 * The JVM tells the watchdog the id of the current process, or an empty line while there is none.
 *
 * <p>Ports lie below the range from which the system takes ports for outgoing connections: no client can occupy the
 * port while the server is down, and none can connect to itself.
 *
 * <p>All methods are thread-safe. A server that runs elsewhere cannot be controlled: {@link #kill()}, {@link
 * #restart()}, {@link #pause()} and {@link #resume()} throw {@link IllegalStateException}.
 */
public abstract class TestServer implements AutoCloseable {

    /** Time within which a server has to answer after a start. */
    static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private static final int START_ATTEMPTS = 3;
    private static final int LOG_LINES = 40;
    private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(20);

    /** Arguments: signal that stops the server, directory to delete. */
    private static final String WATCHDOG = """
            trap '' HUP INT QUIT TERM
            server=
            while read -r line; do server=$line; done
            if [ -n "$server" ]; then
                kill -"$1" "$server"
                kill -CONT "$server"
                waits=100
                while [ $waits -gt 0 ] && kill -0 "$server"; do sleep 0.1; waits=$((waits - 1)); done
                kill -KILL "$server"
            fi
            rm -rf "$2"
            """;

    private static final System.Logger LOG = System.getLogger(TestServer.class.getName());
    private static final Set<TestServer> LIVE = ConcurrentHashMap.newKeySet();

    static {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> LIVE.forEach(TestServer::close), "test-servers-stop"));
    }

    private final String name;
    private Path directory;
    private Process watchdog;
    private Process process;
    private int port;

    TestServer(String name) {
        this.name = name;
    }

    /** Creates the server's data in {@code data}, a directory that does not exist yet. */
    abstract void prepare(Path data) throws IOException;

    /** The command line that runs the server in the foreground. */
    abstract List<String> command(Path data, int port);

    /** Returns if this very server (not another one on its port) serves requests, else throws. */
    abstract void ping(Path data, int port) throws Exception;

    /** The signal by which the server goes down at once and leaves nothing behind. */
    String stopSignal() {
        return "KILL";
    }

    /** The TCP port on the loopback interface; it stays the same over {@link #restart()}. */
    public final synchronized int port() {
        return port;
    }

    /** Ends the server and its child processes by SIGKILL. Its data stay; {@link #restart()} brings it back. */
    public final synchronized void kill() {
        requireProcess();
        family().forEach(ProcessHandle::destroyForcibly);
        awaitExit(process);
        tellWatchdog("");
    }

    /** Starts the server again on the same port and data, after killing it if it still runs; returns when it is up. */
    public final synchronized void restart() {
        requireProcess();
        if (process.isAlive()) {
            kill();
        }
        long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
        // The first tries may fail while the kernel still clears away what the killed processes held.
        while (!runUntilUp(deadline)) {
            if (System.nanoTime() - deadline > 0) {
                throw startFailure();
            }
        }
    }

    /** Stops the server and its child processes by SIGSTOP: connections stay open and nothing answers. */
    public final synchronized void pause() {
        requireProcess();
        signal("STOP", List.of(process.toHandle()));
        // The stopped parent starts no more children; a child in the making shows up in the next round.
        Set<ProcessHandle> stopped = new HashSet<>();
        List<ProcessHandle> found = process.descendants().toList();
        while (stopped.addAll(found)) {
            signal("STOP", found);
            found = process.descendants().toList();
        }
        family().forEach(this::awaitStopped);
    }

    /**
     * Waits until all threads of a process stand still, where the system tells: the signal only asks for it. A child
     * that has just ended stays a zombie for as long as its parent is stopped, and runs no more than a stopped one.
     */
    private void awaitStopped(ProcessHandle stopping) {
        Path threads = Path.of("/proc", Long.toString(stopping.pid()), "task");
        long deadline = System.nanoTime() + STOP_TIMEOUT.toNanos();
        while (Files.isDirectory(threads) && !areStopped(threads)) {
            if (System.nanoTime() - deadline > 0) {
                throw new IllegalStateException(name + ": process " + stopping.pid() + " does not stop");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
        }
    }

    private static boolean areStopped(Path threads) {
        try (Stream<Path> all = Files.list(threads)) {
            for (Path thread : all.toList()) {
                String stat = Files.readString(thread.resolve("stat"));
                char state = stat.charAt(stat.lastIndexOf(')') + 2);
                if (state != 'T' && state != 'Z') {
                    return false;
                }
            }
            return true;
        } catch (IOException e) {
            return false; // one of them has just ended
        }
    }

    /** Continues a server stopped by {@link #pause()}; does nothing otherwise. */
    public final synchronized void resume() {
        requireProcess();
        signal("CONT", family());
    }

    /** Stops the server and deletes its data. Does nothing when it is closed already or runs elsewhere. */
    @Override
    public synchronized void close() {
        if (!LIVE.remove(this)) {
            return;
        }
        if (process != null && process.isAlive()) {
            signal("CONT", family());
        }
        try {
            watchdog.getOutputStream().close();
        } catch (IOException e) {
            throw new UncheckedIOException(name + ": cannot reach the watchdog", e);
        }
        awaitExit(watchdog);
        if (process != null) {
            process.destroyForcibly();
            awaitExit(process);
        }
    }

    /** Starts a process of this JVM's own. */
    final synchronized void launch() {
        try {
            directory = ServerCache.newRunDirectory(name);
            watchdog = new ProcessBuilder("sh", "-c", WATCHDOG, "watchdog", stopSignal(), directory.toString())
                    .redirectOutput(Redirect.DISCARD)
                    .redirectError(Redirect.DISCARD)
                    .start();
            LIVE.add(this);
            prepare(data());
        } catch (IOException e) {
            close();
            throw new UncheckedIOException(name + " cannot be prepared: " + e.getMessage(), e);
        }
        long start = System.nanoTime();
        for (int attempt = 1; attempt <= START_ATTEMPTS; attempt++) {
            port = Ports.free();
            if (runUntilUp(System.nanoTime() + START_TIMEOUT.toNanos())) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "{0} on port {1} up after {2} ms",
                        name,
                        Integer.toString(port),
                        (System.nanoTime() - start) / 1_000_000);
                return;
            }
        }
        throw startFailure();
    }

    /** Uses the server on {@code port} that somebody else runs. */
    final synchronized void attach(int port) {
        this.port = port;
    }

    /** Whether {@link #close()} was called, or the server never came up. */
    final synchronized boolean isClosed() {
        return directory != null && !LIVE.contains(this);
    }

    /** The process id of the server. */
    final synchronized long pid() {
        requireProcess();
        return process.pid();
    }

    /** The private directory of the server. */
    final synchronized Path directory() {
        return directory;
    }

    private Path data() {
        return directory.resolve("data");
    }

    private Path log() {
        return directory.resolve("log");
    }

    /** Runs the process; true when it is up, false when it has ended, an exception when it is neither in time. */
    private boolean runUntilUp(long deadline) {
        try {
            ProcessBuilder builder = new ProcessBuilder(command(data(), port))
                    .directory(directory.toFile())
                    .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectErrorStream(true)
                    .redirectOutput(Redirect.appendTo(log().toFile()));
            // MariaDB begins by deleting the temporary tables that it finds, also those of others that run.
            builder.environment().put("TMPDIR", directory.toString());
            process = builder.start();
            tellWatchdog(Long.toString(process.pid()));
            while (System.nanoTime() - deadline < 0) {
                if (answers()) {
                    return true;
                }
                if (process.waitFor(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                    tellWatchdog("");
                    return false;
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(name + " cannot be started: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(name + ": interrupted while it starts", e);
        }
        throw startFailure();
    }

    private boolean answers() {
        try {
            ping(data(), port);
            return true;
        } catch (Exception notYet) {
            return false;
        }
    }

    /** The exception for a server that does not come up; closes it. */
    private IllegalStateException startFailure() {
        String state = process.isAlive()
                ? "does not answer within " + START_TIMEOUT.toSeconds() + " s"
                : "ended with exit code " + process.exitValue();
        String message = name + " on port " + port + " " + state + ". Last lines of its log:\n" + logTail();
        close();
        return new IllegalStateException(message);
    }

    private String logTail() {
        try {
            List<String> lines = new String(Files.readAllBytes(log()), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
            return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
        } catch (IOException e) {
            return "(no log: " + e + ")";
        }
    }

    /** The server's process, then its descendants. */
    private List<ProcessHandle> family() {
        List<ProcessHandle> family = new ArrayList<>();
        family.add(process.toHandle());
        process.descendants().forEach(family::add);
        return family;
    }

    private void signal(String signal, Collection<ProcessHandle> targets) {
        List<String> command = new ArrayList<>(List.of("sh", "-c", "kill -\"$0\" \"$@\" 2>/dev/null; true", signal));
        targets.forEach(target -> command.add(Long.toString(target.pid())));
        try {
            awaitExit(new ProcessBuilder(command).start());
        } catch (IOException e) {
            throw new UncheckedIOException(name + ": cannot send SIG" + signal, e);
        }
    }

    private void tellWatchdog(String pid) {
        try {
            watchdog.getOutputStream().write((pid + "\n").getBytes(StandardCharsets.US_ASCII));
            watchdog.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(name + ": cannot reach the watchdog", e);
        }
    }

    private void awaitExit(Process ending) {
        try {
            if (!ending.waitFor(STOP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                throw new IllegalStateException(name + ": process " + ending.pid() + " does not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(name + ": interrupted while process " + ending.pid() + " ends", e);
        }
    }

    private void requireProcess() {
        if (directory == null) {
            throw new IllegalStateException(name + " on port " + port
                    + " runs outside of this JVM and cannot be controlled; use start() for a server of your own");
        }
        if (isClosed()) {
            throw new IllegalStateException(name + " on port " + port + " is closed");
        }
    }
}
